"""What the profiles and the rules say to a cluster."""

import re

import pytest
import yaml

from .conftest import ROOT

RULES = {
    name: text
    for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
    for name, text in re.findall(
        r"^rule (\w+):\n(.*?)(?=^rule |\Z)", path.read_text(encoding="utf-8"), re.M | re.S
    )
}
LOCAL = re.search(
    r"^localrules:\n((?:    \w+,\n)+)",
    (ROOT / "workflow/rules/data.smk").read_text(encoding="utf-8"),
    re.M,
)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_says_its_memory_and_time_or_stays_where_snakemake_runs(rule):
    asks = re.findall(r"^        (mem_mb|runtime)=(?:more|by_input)\(\d+.*\),$", RULES[rule], re.M)
    expected = [] if rule in LOCAL.group(1).replace(",", "").split() else ["mem_mb", "runtime"]
    assert asks == expected, f"rule {rule} in workflow/rules"


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_rule_that_is_submitted_leaves_retries_to_the_profile(rule):
    """Retries of a rule repeat it within the job's allocation, each as often as the profile says."""
    assert "retries:" not in RULES[rule] or rule in LOCAL.group(1).replace(",", "").split()


def test_the_profile_of_slurm_follows_jobs_where_accounting_is_off():
    profile = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text(encoding="utf-8"))
    assert profile["slurm-status-command"] == "squeue"


def test_the_profile_of_slurm_names_no_site_and_leaves_the_default_profile_alone():
    profile = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text(encoding="utf-8"))
    default = yaml.safe_load((ROOT / "profiles/default/profile.yaml").read_text(encoding="utf-8"))
    assert profile["executor"] == "slurm"
    assert set(profile["default-resources"]) == {"mem_mb", "runtime"}, (
        "accounts and partitions are a site's own"
    )
    assert not set(profile) & set(default), "what both say, profiles/default decides"
