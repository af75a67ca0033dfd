"""Writes what Hydra and OmegaConf make of our texts: `python hydra_vectors.py FIXTURES`. Needs hydra-core.

Inputs are written here by hand (hydra_cases.py) or generated from seeds (hydra_generated.py). A tree is composed the way
AgentJet's launcher does it: the primary file is read and written anew to a folder of its own, Hydra composes it from the
working folder, and every interpolation is resolved.
"""

import hashlib
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from hydra_cases import BASE as VALUE_BASE
from hydra_cases import FILES, PLAIN, TREES, VALUE_TEXTS
from hydra_generated import BASE as GENERATED_BASE
from hydra_generated import generated_text, generated_tree

GENERATED_TEXTS = 2500
GENERATED_TREES = 900
REAL_DEFAULTS = {
    "ajet_default.yaml": "ajet_default",
    "verl/verl_default.yaml": "verl_verl_default",
    "trinity/trinity_default.yaml": "trinity_trinity_default",
}
ENVIRONMENT = {"AJ_HOST": "host", "AJ_PORT": "8080", "AJ_EMPTY": "", "AJ_LIST": "[1, 2.0]"}


def encoded(value):
    """JSON that keeps floats apart from integers."""
    if isinstance(value, float) and not isinstance(value, bool):
        return f"!float {value}"
    if isinstance(value, dict):
        return {key_text(key): encoded(child) for key, child in value.items()}
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if value is None or isinstance(value, (str, int)):
        return value
    raise TypeError(f"{type(value).__name__} is no plain value")


def key_text(key):
    return str(key).lower() if isinstance(key, bool) else str(key)


def outcome(run):
    """What comes of it, or the class of what is raised."""
    try:
        return {"result": encoded(run())}
    except Exception as error:  # any refusal counts
        return {"refused": type(error).__name__}


def resolved_text(text):
    return OmegaConf.to_container(OmegaConf.create(yaml_of(text)), resolve=True)


def yaml_of(text):
    """As a file is loaded: with OmegaConf's loader, which refuses keys that stand twice."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8", delete=False) as file:
        file.write(text)
    try:
        return OmegaConf.load(file.name)
    finally:
        os.unlink(file.name)


def composed(tree):
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        launcher = Path(folder) / "launcher"
        launcher.mkdir()
        project.mkdir()
        for name, content in tree["files"].items():
            file = project / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        back = os.getcwd()
        os.chdir(project)
        try:
            primary = yaml.safe_load(tree["primary"])
            with open(launcher / "primary.yaml", "w", encoding="utf-8") as file:
                yaml.dump(primary, file)
            with initialize_config_dir(config_dir=str(launcher), version_base=None):
                config = compose(config_name="primary.yaml", overrides=[])
            return OmegaConf.to_container(config, resolve=True)
        finally:
            os.chdir(back)


def text_cases(base, texts):
    """All texts stand below one base, whose own values are told once."""
    known = set(yaml.safe_load(base) or {})
    rows = []
    for text in texts:
        told = outcome(lambda: resolved_text(base + text))
        if "result" in told:
            told["result"] = {key: value for key, value in told["result"].items() if key not in map(key_text, known)}
        rows.append({"text": text, **told})
    return {"base": base, "result": outcome(lambda: resolved_text(base)).get("result"), "cases": rows}


def tree_cases(files, trees):
    rows = [{**tree, **outcome(lambda: composed({**tree, "files": {**files, **tree["files"]}}))} for tree in trees]
    return {"files": files, "cases": rows}


def real_files():
    """What becomes of AgentJet's and Trinity's own configs where they are at hand, as hashes: their text stays theirs."""
    folder = Path(__file__).parents[4] / "shared/data/configs"
    defaults = {
        f"ajet/default_config/{path}": (folder / "agentjet" / f"ajet_default_config_{name}.yaml").read_text("utf-8")
        for path, name in REAL_DEFAULTS.items()
    }
    told = {}
    for file in sorted((folder / "agentjet").glob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        if "\ndefaults:" in text and "\nhydra:" in text:
            told[f"agentjet/{file.name}"] = outcome(lambda: composed({"files": defaults, "primary": text}))
    for file in sorted((folder / "trinity").glob("*.yaml")):
        told[f"trinity/{file.name}"] = outcome(lambda: resolved_text(file.read_text(encoding="utf-8")))
    return {name: "refused" if "refused" in one else hashed(one["result"]) for name, one in told.items()}


def hashed(result):
    text = json.dumps(result, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write(file, groups):
    """One case per line."""
    parts = []
    for group in groups:
        head = json.dumps({key: value for key, value in group.items() if key != "cases"}, ensure_ascii=False)
        rows = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in group["cases"])
        parts.append(f'{head[:-1]}, "cases": [\n{rows}\n]}}')
    body = ",\n".join(parts)
    file.write_text(f"[\n{body}\n]\n", encoding="utf-8")


def write_real(fixtures):
    if (Path(__file__).parents[4] / "shared/data/configs").exists():
        (fixtures / "real.json").write_text(json.dumps(real_files(), indent=2) + "\n", encoding="utf-8")


def main(fixtures):
    warnings.simplefilter("ignore")
    for name in [name for name in os.environ if name.startswith("AJ_")]:
        del os.environ[name]
    os.environ.update(ENVIRONMENT)
    fixtures.mkdir(parents=True, exist_ok=True)
    generated = [generated_text(seed) for seed in range(GENERATED_TEXTS)]
    write(
        fixtures / "texts.json",
        [text_cases(VALUE_BASE, VALUE_TEXTS), text_cases("", PLAIN), text_cases(GENERATED_BASE, generated)],
    )
    trees = [generated_tree(seed) for seed in range(GENERATED_TREES)]
    write(fixtures / "trees.json", [tree_cases(FILES, TREES), tree_cases({}, trees)])
    write_real(fixtures)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
