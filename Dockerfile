# The locked environment with the project; `docker run` does what `make` does: all studies at quick scale.
FROM python:3.12-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc git libc6-dev make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /pumetrics
COPY . .
RUN make .venv/ready
CMD ["make"]
