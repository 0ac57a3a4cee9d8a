# The locked environment with the project; `docker run` does what `make` does: all studies at quick scale.
# Python 3.12.14 on Debian 13, of September 2026: a digest always names the same image, a tag does not.
FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
ARG UID=1000
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid $UID pumetrics \
    && install --directory --owner pumetrics /pumetrics
USER pumetrics
WORKDIR /pumetrics
COPY --chown=pumetrics . .
RUN make .venv/ready && .venv/bin/python -m compileall -q -j 0 -x '/tests?/' .venv/lib
# The repository is not in the image, so its builder says which commit this is: results state it.
ARG COMMIT=unknown
ENV PUMETRICS_COMMIT="{\"commit\": \"$COMMIT\", \"uncommitted_changes\": false}"
CMD ["make"]
