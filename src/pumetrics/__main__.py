"""``python -m pumetrics`` is the command ``pumetrics``."""

from pumetrics.cli import app

if __name__ == "__main__":
    app(prog_name="pumetrics")
