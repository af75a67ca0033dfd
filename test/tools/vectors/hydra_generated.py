"""Seeded texts with interpolations, and seeded trees of files with `defaults`."""

import random

import yaml

BASE = """\
a: 1
b: text
c: {x: 2.5, y: [1, two, {z: 3}], n: null, s: "${b}", in: {deep: yes}}
l: [10, 2.0, [30, x]]
t: true
name: c
idx: "1"
'ключ': значение
e: ''
m: ???
quote: it's "so"
"""

PATHS = [
    "a", "b", "c", "c.x", "c.y", "c.y[0]", "c.y.1", "c.y[2].z", "c[x]", "c[y][2][z]", "[c].x", "c.n", "c.s", "l",
    "l[0]", "l.1", "l[2][1]", "l[9]", "l[-1]", "l.x", "t", "name", "idx", "e", "m", "nope", "c.nope", "a.b", "c.n.x",
    "ключ", "quote", "c.in.deep", "c.in", ".a", "..a", ".v", "...a", ".q", "..q", ".c.x", "..c.y[1]", "v", "w", "w.v",
    "c.y[${idx}]", "${name}.x", "c.${e}", "l[${a}]", "${name}", "c.${b}", "${nope}", "a-b", "c..x", "c.", "", " a ",
    "$a", "a b", "c.y[0", "c].x", "a/b", "a,b", "\\a",
]  # fmt: skip

LITERALS = [
    "x", "foo bar", "-", "/", ":", "$", "$$", "{", "}", "\\", "\\\\", "\\${a}", "\\\\${a}", "\\\\\\${a}", "\\\\\\\\", "'", '"',
    "é", "\n", "\t", "a=1", ",", "[", "]", "#", "%", "100", "${", "\\$", "\\'", "日本",
]  # fmt: skip

PRIMITIVES = [
    "1", "-2", "+3", "007", "1_000", "1.5", "-1e3", "1e-6", ".5", "2.", "inf", "-Inf", "nan", "true", "FALSE", "null",
    "Null", "abc", "a-b", "a_b", "foo bar", "a:b", "http://h:80/p", "x/y", "*", "@x", "?", "|", "%d", "a\\,b", "\\ x", "\\\\",
    "\\{x\\}", "AJ_HOST", "AJ_NOPE", "1abc", "1.2.3", "nullx", "é", "(x)", "a=b", "\\=", "5%", "\\x", "", " ",
]  # fmt: skip

RESOLVERS = ["oc.env", "oc.select", "oc.decode", "oc.create", "oc.dict.keys", "oc.dict.values", "oc.deprecated", "nope", "oc.nope"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, low, high):
        return range(self.random.randint(low, high))

    def chance(self, share):
        return self.random.random() < share

    def interpolation(self, depth):
        if self.chance(0.55):
            path = self.random.choice(PATHS)
            if depth > 0 and self.chance(0.1):
                path = f"c.{self.interpolation(depth - 1)}"
            return "${" + path + "}"
        return self.call(depth)

    def call(self, depth):
        resolver = self.random.choice(RESOLVERS)
        blank = " " if self.chance(0.2) else ""
        if resolver == "oc.env" and self.chance(0.8):
            first = self.random.choice(["AJ_HOST", "AJ_PORT", "AJ_NOPE", "AJ_NOPE", "AJ_EMPTY", "${b}"])
        elif resolver in ("oc.select", "oc.dict.keys", "oc.dict.values", "oc.deprecated") and self.chance(0.85):
            first = self.random.choice([path for path in PATHS if "$" not in path and "\\" not in path])
        elif resolver == "oc.decode" and self.chance(0.4):
            first = self.random.choice(["${idx}", "${oc.env:AJ_PORT}", "${oc.env:AJ_LIST}", "'${a}'", "'[1, ${a}]'", "'{x: 1}'"])
        else:
            first = self.argument(depth)
        items = [first] + [self.argument(depth) for _ in self.some(0, 2) if self.chance(0.45)]
        separator = "," + blank
        return "${" + blank + resolver + ":" + blank + separator.join(items) + blank + "}"

    def argument(self, depth):
        kind = self.random.random()
        if kind < 0.5 or depth == 0:
            return self.random.choice(PRIMITIVES)
        if kind < 0.65:
            quote = self.random.choice("'\"")
            inside = "".join(self.random.choice(LITERALS) for _ in self.some(0, 2))
            return quote + inside + (self.interpolation(0) if self.chance(0.3) else "") + quote
        if kind < 0.75:
            return "[" + ", ".join(self.argument(depth - 1) for _ in self.some(0, 2)) + "]"
        if kind < 0.83:
            pairs = [f"k{index}: {self.argument(depth - 1)}" for index in self.some(0, 2)]
            return "{" + ", ".join(pairs) + "}"
        return self.interpolation(depth - 1) + (self.random.choice(PRIMITIVES) if self.chance(0.2) else "")

    def expression(self):
        if self.chance(0.45):
            text = self.interpolation(2)
        else:
            parts = [self.interpolation(1) if self.chance(0.5) else self.random.choice(LITERALS) for _ in self.some(1, 4)]
            text = "".join(parts)
        if self.chance(0.06) and text:
            at = self.random.randrange(len(text))
            text = text[:at] + self.random.choice(["", "}", "$", "{", "\\", "'", ".", " "]) + text[at + 1 :]
        return text


def generated_text(seed):
    generator = Generator(seed)
    place = generator.random.randrange(3)
    expression = generator.expression()
    extra = {
        0: {"v": expression},
        1: {"w": {"v": expression, "q": 5}},
        2: {"w": [{"v": expression, "q": "in a list"}, expression]},
    }[place]
    if place == 0 and generator.chance(0.3):
        extra["u"] = generator.random.choice(["${v}", "<${v}>", "${c.${v}}", "${oc.select:v,none}"])
    return yaml.safe_dump(extra, allow_unicode=True, sort_keys=False)


FILES = ["db/mysql", "db/pg", "net/a", "net/b", "db/kind/big", "one", "two"]
PACKAGES = ["_global_", "_group_", "foo", "foo.bar", "_here_", "_global_.x", "ajet", "db"]
KEYS = ["a", "b", "k", "port"]


class TreeGenerator(Generator):
    def value(self, depth):
        kind = self.random.random()
        if kind < 0.3:
            return self.random.choice([1, 2.0, "text", True, None, "???", "1e-6", "1e3"])
        if kind < 0.38:
            # What is there in any case, or what may be there, or lead back here.
            some = ["${ajet.a}", "${.a}", "${ajet.k}", "${ajet.b}", "${db.a}"]
            sure = ["${ajet.fixed.n}", "${ajet.fixed}", "<${ajet.fixed.s}>", "${oc.select:ajet.a,none}"]
            return self.random.choice(some if self.chance(0.08) else sure)
        if kind < 0.5 or depth == 0:
            return [self.random.randint(1, 9) for _ in self.some(0, 2)]
        return {self.random.choice(KEYS): self.value(depth - 1) for _ in self.some(1, 3)}

    def entry(self, groups, chosen, folder):
        """One of `groups`, or a file; those not chosen before, mostly, and overrides of those that were."""
        kind = self.random.random()
        package = f"@{self.random.choice(PACKAGES)}" if self.chance(0.12) else ""
        # Within a folder, what begins with no slash is looked for there.
        slash = "/" if self.chance(0.95 if folder else 0.2) else ""
        if kind < 0.3:
            top = ["one", "two", "mysql"] if self.chance(0.1) else ["one", "two"]
            # What a file brings a second time depends on which nodes of the first time Hydra has gone on using.
            left = [name for name in (FILES if self.chance(0.5) else top) if name not in chosen]
            file = self.random.choice(left or FILES)
            chosen.append(file)
            return slash + file + package
        optional = "optional " if self.chance(0.12) else ""
        override = "override " if self.chance(0.15 if chosen else 0.02) else ""
        used = [name for name in groups if name in chosen]
        free = [name for name in groups if name not in chosen] or groups
        name = self.random.choice(used if override and used else groups if self.chance(0.1) else free)
        chosen.append(name)
        options = {"db": ["mysql", "pg"], "net": ["a", "b"], "db/kind": ["big"], "kind": ["big"]}[name]
        if name == "kind":
            slash = ""
        value = self.random.choice(options)
        extra = self.random.random()
        if extra < 0.04:
            value = self.random.choice(["gone", "???", "${db}", "${net}_x", "a_${db}", "${defaults.0.db}"])
        elif extra < 0.08:
            value = None
        elif extra < 0.2:
            value = [self.random.choice(options + (["gone"] if self.chance(0.15) else [])) for _ in self.some(0, 2)]
        return {f"{override}{optional}{slash}{name}{package}": value}

    def defaults(self, groups, most, folder=False):
        chosen = []
        items = [self.entry(groups, chosen, folder) for _ in self.some(0, most)]
        if self.chance(0.6):
            items.insert(self.random.randint(0, len(items)), "_self_")
        if self.chance(0.9):
            items.sort(key=lambda item: isinstance(item, dict) and next(iter(item)).startswith("override"))
        return items

    def file(self, name):
        header = f"# @package {self.random.choice(PACKAGES)}\n" if self.chance(0.2) else ""
        if self.chance(0.015):
            return header + self.random.choice(["", "[1, 2]\n", "text\n", "5\n", "a: 1\na: 2\n", "a: ${\n", "# nothing\n"])
        content = {"from": name}
        for _ in self.some(0, 2):
            content[self.random.choice([*KEYS, "ajet"])] = self.value(2)
        if self.chance(0.12):
            # Files that lead back to themselves are refused, so most lead on to the others.
            groups = ["kind", "db/kind", "net"] if name.startswith("db/") else ["db/kind", "net"]
            content = {"defaults": self.defaults(groups, 2, "/" in name), **content}
        return header + yaml.safe_dump(content, sort_keys=False)


def generated_tree(seed):
    generator = TreeGenerator(100_000 + seed)
    folders = ["conf", "more"]
    files = {}
    for folder in folders:
        for name in FILES:
            if generator.chance(0.98 if folder == "conf" else 0.4):
                files[f"{folder}/{name}.yaml"] = generator.file(name)
    searched = generator.random.sample(folders, 2) if generator.chance(0.5) else [folders[generator.chance(0.05)]]
    path = [f"file://{folder}" for folder in searched]
    if generator.chance(0.1):
        path.append("file://not/here")
    own = {"fixed": {"n": 1, "s": "text", "at": "${.n}"}}
    own |= {key: generator.value(2) for key in KEYS if generator.chance(0.7)}
    primary = {
        "ajet": own,
        "hydra": {"searchpath": path},
        "defaults": generator.defaults(["db", "db", "net", "db/kind"], 4),
    }
    if generator.chance(0.3):
        primary["db"] = generator.value(1)
    return {"files": files, "primary": yaml.safe_dump(primary, sort_keys=False)}
