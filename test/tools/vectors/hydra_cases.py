"""Texts and trees written by hand, one behaviour each."""


BASE = 'top: {n: 1.0, flag: true, i: 7, none: null, list: [a, {b: 7}], s: x}\nkey: n\nnum: 1\n"1": text one\nkey2: env\nkey3: oc.env\nmiss: ???\n'

VALUES = [
    "${top.n}", "${top}", "${top.list}", "${top.list[0]}", "${top.list.0}", "${top.list[1].b}", "${top[n]}", "${[top].n}",
    "${top.list[2]}", "${top.list.x}", "${top.n.x}", "${top.none}", "${top.none.x}", "${nope}", "${top.${key}}",
    "${top[${key}]}", "${top.${num}}", "${top.list[${num}]}", "${.key}", "${..key}", "${...key}", "${.x}", "${x}",
    "n=${top.n} on=${top.flag} i=${top.i} none=${top.none} s=${top.s}", "a${top.list}", "a${top}", "\\${top.n}",
    "\\\\${top.n}", "\\\\\\${top.n}", "\\\\\\\\${top.n}", "a\\b", "a\\\\", "$", "$top", "${", "${}", "${top", "}", "${top.}",
    "${.}", "${..}", "${top..n}", "${ top.n }", "${top .n}", "${top.n}}", "{${top.n}}", "${top.n}\\", "x${top.n}\\\\",
    "${1}", "${num}", "${oc.env:AJ_HOST}", "${oc.env:AJ_NOPE}", "${oc.env:AJ_NOPE,dflt}", "${oc.env:AJ_NOPE,null}",
    "${oc.env:AJ_NOPE,'null'}", '${oc.env:AJ_NOPE,"a, b"}', "${oc.env:AJ_NOPE, 12}", "${oc.env:AJ_NOPE,1.0}",
    "${oc.env:AJ_NOPE,true}", "${oc.env:AJ_NOPE,[1, two, 'x']}", "${oc.env:AJ_NOPE,{a: 1}}", "${oc.env:AJ_NOPE,}",
    "${oc.env:AJ_NOPE,a,b}", "${oc.env:}", "${oc.env}", "${oc.env:1}", "${oc.env:null}", "${oc.env:AJ_EMPTY,no}",
    "${oc.env:AJ_NOPE,${top.n}}", "${oc.env:AJ_NOPE,${oc.env:AJ_PORT}}", "${oc.env:AJ_NOPE,${top.list}}",
    "${oc.env:AJ_NOPE,http://h:80/a?b=c}", "${oc.env:AJ_NOPE,a b}", "${oc.env:AJ_NOPE, 'it''s'}",
    "${oc.env:AJ_NOPE,'it\\'s'}", "${oc.env:AJ_NOPE,\"q\\\"q\"}", "${oc.env:AJ_NOPE,'${top.n}'}", "${oc.env:AJ_NOPE,'\\${x}'}",
    "${oc.env:AJ_NOPE,a\\,b}", "${oc.env:AJ_NOPE,a\\:b}", "http://${oc.env:AJ_HOST,h}:${oc.env:AJ_PORT}/v1",
    "${oc.decode:${oc.env:AJ_PORT}}", "${oc.decode:${oc.env:AJ_LIST}}", "${oc.decode:null}", "${oc.decode:'null'}",
    "${oc.decode:'1e3'}", "${oc.decode:'[1, {a: b}]'}", "${oc.decode:''}", "${oc.decode:5}", "${oc.decode:'${top.n}'}",
    "${oc.decode:'a b'}", "${oc.decode:'[1'}", "${oc.decode:AJ,1}", "${oc.decode:abc}", "${oc.decode:'a:b'}",
    "${oc.select:top.n}", "${oc.select:nope}", "${oc.select:nope,5}", "${oc.select:top.none,5}", "${oc.select:miss,5}",
    "${oc.select:miss}", "${oc.select:top.n.x,5}", "${oc.select:top.list.x,5}", "${oc.select:.key,5}", "${oc.select:...key,5}",
    "${oc.select:nope,[1, 2]}", "${oc.select:nope,{a: 1, 'b': 2}}", "${oc.select:nope,{a: 1}}", "${oc.select:top}",
    "${oc.select:'top.n'}", "${oc.select:nope,${top.s}}", "${oc.select:5,6}", "${oc.select:nope,a,b}",
    "${oc.create:{a: 1}}", "${oc.create:[1, 2]}", "${oc.create:'a: 1'}", "${oc.create:null}", "${oc.create:5}", "${oc.create:x}",
    "${oc.create:{a: ${top.n}}}", "${oc.create:${top}}", "${oc.dict.keys:top}", "${oc.dict.keys:nope}", "${oc.dict.keys:top.n}",
    "${oc.dict.keys:top.list}", "${oc.dict.values:top}", "${oc.dict.values:nope}", "${oc.dict.values:top.list}",
    "${oc.dict.keys:.y}", "${oc.dict.values:.y}", "${oc.deprecated:top.n}", "${oc.deprecated:nope}", "${oc.deprecated:top.n,'gone'}",
    "${oc.deprecated:top.n,5}", "${nope:1}", "${env:AJ_HOST}", "${now:%Y}", "${hydra:run.dir}", "${oc.${key2}:AJ_HOST}",
    "${${key3}:AJ_HOST}", "${oc.env:AJ_HOST}${oc.env:AJ_PORT}", "${miss}", "a${miss}", "${.y.z}", "${.y}", "ключ ${top.s}",
    "${oc.env :AJ_HOST}", "${oc.env: AJ_HOST}", "${ oc.env:AJ_HOST }", "${oc. env:AJ_HOST}", "${oc.env:AJ_HOST\n}",
]  # fmt: skip


def value_case(value):
    # Single quotes keep everything but themselves as it is.
    quoted = "'" + value.replace("'", "''").replace("\n", "\n\n") + "'"
    return f"ajet:\n  x: {quoted}\n  y: {{z: 1, w: '${{.z}}'}}\n  key: own\n"


PLAIN = [
    "a: 1\na: 2\n", "a: {b: 1, b: 2}\n", "1: x\ny: ${1}\n", "true: x\n", "null: x\n", "1.5: x\n", "a: 1e-6\nb: <${a}>\n",
    "a: 1E5\nb: <${a}>\n", "a: .5\nb: <${a}>\n", "a: 1_000\nb: <${a}>\n", "a: 0x1F\nb: <${a}>\n", "a: 010\nb: <${a}>\n",
    "a: 0o10\nb: <${a}>\n", "a: 1:30\nb: <${a}>\n", "a: 2024-01-01\nb: <${a}>\n", "a: .inf\nb: <${a}>\n", "a: -.INF\nb: <${a}>\n",
    "a: .nan\nb: <${a}>\n", "a: yes\nb: <${a}>\n", "a: OFF\nb: <${a}>\n", "a: y\nb: <${a}>\n", "a: ~\nb: <${a}>\n", "a:\nb: <${a}>\n",
    "a: 1.0\nb: <${a}>\n", "a: 1e20\nb: <${a}>\n", "a: 1e16\nb: <${a}>\n", "a: 1e15\nb: <${a}>\n", "a: 0.0001\nb: <${a}>\n",
    "a: 0.00001\nb: <${a}>\n", "a: 123456789.123\nb: <${a}>\n", "a: 1.\nb: <${a}>\n", "a: +5\nb: <${a}>\n", "a: '5'\nb: <${a}>\n",
    "a: -0.0\nb: <${a}>\n", "a: !!str 5\nb: <${a}>\n", "a: 1.5e3\nb: <${a}>\n", "a: 1e+3\nb: <${a}>\n", "a: e5\n", "a: 1e\n",
    "a: &x {p: 1}\nb: *x\n", "a: &x {p: 1}\nb: {<<: *x, q: 2}\n", "a: ${b}\nb: ${a}\n", "a: ${b}\nb: ${c}\nc: ${a}\n",
    "a: {b: '${a}'}\n", "a: {b: '${c}'}\nc: {d: '${a}'}\n", "a: ${b}\nb: {x: 1, y: '${a.x}'}\n", "a: ${b}\nb: {x: '${.y}', y: 2}\n",
    "a: [1, '${.0}', '${a[0]}']\n", "a: [['${..1}', '${.1}'], x]\n", "a: ???\n", "a: ???\nb: ${a}\n", "a: {b: '???'}\nc: ${a}\n",
    "a: ???\nb: ${a.x}\n", "a: ${b}\nb: ${c}\nc: ???\n", "'a.b': 1\nc: ${a.b}\n", "a: {'x y': 1}\nb: ${a.x y}\n",
    "a: {'x-y': 1}\nb: ${a.x-y}\n", "a: {x/y: 1}\nb: ${a.x/y}\n", "a: {$x: 1}\nb: ${a.$x}\n", "", "# nothing\n", "a: |\n  ${b}\nb: 1\n",
    "a: >-\n  x ${b}\n  y\nb: 1\n", "a: \"x\\t${b}\"\nb: 1\n", "a: '${oc.select:a}'\n", "a: '${oc.select:b}'\nb: '${a}'\n",
    "a: {b: '${oc.dict.keys:a}'}\n", "a: {b: 1, c: '${oc.dict.values:d}'}\nd: {x: '${.y}', y: 2}\n", "a: '${oc.dict.values:d}'\nd: {x: ???}\n",
    "a: {b: '${..c}'}\nc: {d: '${.e}', e: 4}\n", "a: ${b.c.d}\nb: ${e}\ne: {c: '${f}'}\nf: {d: 9}\n", "a: [${b}, ${c}]\nb: 1\nc: x\n",
    "a: {b: [1, 2]}\nc: ${a.b.-1}\n", "a: [1, 2]\nc: ${a[+1]}\n", "a: [1, 2]\nc: ${a[01]}\n",
    "a: {b: ???}\n", "a: [???]\n", "a: [x, ???]\n", "a: {b: ?x}\n", "a: [? x]\n", "a: [? x : y]\n", "a: {? x : y}\n", 
    "a: {? x}\n", "a: ?x\n", "a: - ?x\n", "a:\n  - ???\n", "a: [a?b, a?]\n", "a: {b: '???'}\n", "a: {b: x ??? y}\n", "a: [-x, -1]\n",
    "a: [:x]\n", "a: {b: :x}\n", "a: [x:y, x:]\n", "a: {b:c}\n", "a: {b: c:d}\n", "a: [x #y\n]\n", "a: [x#y]\n", "a: {b: %x}\n", "a: {b: @x}\n", "a: {b: `x}\n", "a: [!x]\n",
    "a: [x,,y]\n", "a: [,]\n", "a: {,}\n", "a: {b: 1,}\n", "a: [1,]\n", "a: {b}\n", "a: [b: 1]\n", "a: {b: [c: 1, d]}\n", "a: [{b: 1} , [c]]\n", "a: {'b':1}\n", "a: {b: 'x''y'}\n",
    "a: [x\n  y]\n", "a: {b: x\n  y}\n", "a: {b: 1\n}\n", "a: {b:\n    1}\n", "?a: 1\n", "? a\n: 1\n", "? a\n", "a?: 1\n",
]  # fmt: skip

VALUE_TEXTS = [value_case(value) for value in VALUES]


def tree(defaults, files=None, own="x: 1", path="[file://conf]", hydra="", rest=""):
    primary = f"ajet: {{{own}}}\nhydra:\n  searchpath: {path}\n{hydra}{rest}{defaults}\n"
    return {"files": files or {}, "primary": primary}


FILES = {
    "conf/base.yaml": "ajet: {x: base, y: base, list: [1, 2], sub: {p: 1, q: 2}}\n",
    "conf/db/mysql.yaml": "kind: mysql\nport: 3306\n",
    "conf/db/pg.yaml": "kind: pg\nport: 5432\n",
    "conf/net/a.yaml": "size: 1\n",
    "conf/net/b.yaml": "size: 2\n",
    "more/base.yaml": "ajet: {z: more}\n",
    "more/extra.yaml": "ajet: {e: 1}\n",
}


def of(*entries):
    return "defaults: [" + ", ".join(entries) + "]"


def nested(content, **files):
    named = {name.replace("__", "/"): value for name, value in files.items()}
    return {"conf/nest.yaml": content, **{f"conf/{name}.yaml": value for name, value in named.items()}}


TREES = [
    tree(of("_self_")), tree(of("base", "_self_")), tree(of("_self_", "base")), tree(of("base")), tree("defaults: []"),
    tree("defaults:"), tree("defaults: {a: b}"), tree("defaults: base"), tree("defaults: 5"), tree(of("_self_", "_self_")),
    tree(of("_self_", "base", "_self_")), tree(of("null")), tree(of("5")), tree(of("true")), tree(of("[base]")), tree(of("{}")),
    tree(of("base.yaml", "_self_")), tree(of("base.yml", "_self_")), tree(of("/base", "_self_")), tree(of("./base", "_self_")),
    tree(of("nowhere", "_self_")), tree(of("optional nowhere", "_self_")), tree(of("base", "base", "_self_")),
    tree(of("db: mysql")), tree(of("db: mysql", "_self_"), rest="db: {port: 1}\n"), tree(of("_self_", "db: mysql"), rest="db: {port: 1}\n"),
    tree(of("db/mysql")), tree(of("/db/mysql")), tree(of("/db: mysql")), tree(of("db: mysql.yaml")), tree(of("db: nowhere")),
    tree(of("optional db: nowhere")), tree(of("optional db: mysql")), tree(of("nogroup: x")), tree(of("optional nogroup: x")),
    tree(of("db: null")), tree(of("db: ~")), tree(of("db: ???")), tree(of("'???'")), tree(of("db: 5")), tree(of("db: true")),
    tree(of("db: {a: b}")), tree(of("{db: mysql, net: a}")), tree(of("db: []")), tree(of("db: [mysql]")), tree(of("db: [mysql, pg]")),
    tree(of("db: [mysql, nowhere]")), tree(of("optional db: [mysql, nowhere]")), tree(of("db: [mysql, 5]")), tree(of("db: [mysql, null]")),
    tree(of("db: [mysql, '${net}']")), tree(of("db: _self_")), tree(of("db: mysql", "db: pg")), tree(of("db: mysql", "db: mysql")),
    tree(of("db@foo: mysql")), tree(of("db@foo.bar: mysql")), tree(of("db@_global_: mysql")), tree(of("db@_here_: mysql")),
    tree(of("db@_group_: mysql")), tree(of("db@_group_.sub: mysql")), tree(of("db@_global_.foo: mysql")), tree(of("db@ajet: mysql", "_self_")),
    tree(of("db@one: mysql", "db@two: mysql")), tree(of("db@one: mysql", "db@one: pg")), tree(of("db: mysql", "db@two: mysql")),
    tree(of("db@a:b: mysql")), tree(of("db@: mysql")), tree(of("base@foo")), tree(of("base@_global_")), tree(of("db/mysql@foo")),
    tree(of("db/mysql@_here_")), tree(of("_self_@foo")), tree(of("'@foo'")), tree(of("'': x")), tree(of("db@foo: [mysql, pg]")),
    tree(of("db: mysql", "override db: pg")), tree(of("override db: pg")), tree(of("override db: pg", "db: mysql")),
    tree(of("db: mysql", "override db: pg", "_self_")), tree(of("db: mysql", "override db: pg", "base")),
    tree(of("db: mysql", "override db: null")), tree(of("db: mysql", "override db: [mysql, pg]")), tree(of("db: mysql", "override db: nowhere")),
    tree(of("db@foo: mysql", "override db@foo: pg")), tree(of("db@foo: mysql", "override db: pg")), tree(of("db: [mysql, pg]", "override db: pg")),
    tree(of("db: mysql", "override optional db: nowhere")), tree(of("optional override db: pg", "db: mysql")), tree(of("wrong db: mysql")),
    tree(of("db: mysql", "override db: pg", "override db: mysql")), tree(of("db: mysql", "override /db: pg")),
    tree(of("override hydra/job_logging: disabled", "_self_")), tree(of("_self_", "override hydra/job_logging: disabled")),
    tree(of("_self_", "override hydra/job_logging: nowhere")), tree(of("_self_", "override hydra/nowhere: x")),
    tree(of("_self_", "hydra/job_logging: disabled")), tree(of("_self_", "override hydra/hydra_logging: none", "override hydra/job_logging: none")),
    tree(of("_self_", "override hydra/launcher: basic")), tree(of("_self_", "override hydra/callbacks: null")),
    tree(of("db: mysql", "net: '${db}'")), tree(of("db: mysql", "net: '${db}_x'"), {"conf/net/mysql_x.yaml": "size: 9\n"}),
    tree(of("net: '${db}'", "db: mysql"), {"conf/net/mysql.yaml": "size: 9\n"}), tree(of("net: '${nope}'")), tree(of("db: a", "net: '${db}'")),
    tree(of("db: mysql", "optional net: '${db}_y'")), tree(of("db: mysql", "'net_${db}'"), {"conf/net_mysql.yaml": "n: 1\n"}),
    tree(of("db: mysql", "net: '${defaults.0.db}'")), tree(of("db: null", "net: '${db}'")), tree(of("db@foo: mysql", "net: '${db@foo}'")),
    tree(of("db: '${net}'", "net: a", "override db: pg")), tree(of("db: '${oc.env:AJ_HOST}'"), {"conf/db/host.yaml": "h: 1\n"}),
    tree(of("nest", "_self_"), nested("defaults: [base]\najet: {n: 1, x: nest}\n")), tree(of("nest", "_self_"), nested("defaults: [base, _self_]\najet: {x: nest}\n")),
    tree(of("nest"), nested("defaults: [_self_, base]\najet: {x: nest}\n"), own="own: 1"), tree(of("nest"), nested("defaults: [nest]\n")),
    tree(of("nest"), nested("defaults: [other]\n", other="defaults: [nest]\n")), tree(of("nest"), nested("defaults: [db: mysql]\n")),
    tree(of("nest", "override db: pg"), nested("defaults: [db: mysql]\n")), tree(of("nest"), nested("defaults: [db: mysql, override net: b]\n")),
    tree(of("nest", "net: a"), nested("defaults: [override net: b]\nm: 1\n")), tree(of("net: a", "nest"), nested("defaults: [override net: b]\nm: 1\n")),
    tree(of("nest@foo"), nested("defaults: [db: mysql]\nm: 1\n")), tree(of("nest@foo"), nested("defaults: [db@_global_: mysql]\nm: 1\n")),
    tree(of("nest@foo"), nested("defaults: [db@_here_: mysql]\nm: 1\n")), tree(of("nest@foo"), nested("defaults: [db@_global_.q: mysql]\nm: 1\n")),
    tree(of("grp: x"), nested("", grp__x="defaults: [db: mysql]\nm: 1\n")), tree(of("grp: x"), nested("", grp__x="defaults: [/db: mysql]\nm: 1\n")),
    tree(of("grp: x"), nested("", grp__x="defaults: [/db@_global_: mysql]\n")), tree(of("grp: x"), nested("", grp__x="defaults: [y, _self_]\nm: 1\n", grp__y="m: 2\nn: 3\n")),
    tree(of("grp: x"), nested("", grp__x="defaults: [sub: s]\n", grp__sub__s="d: 1\n")), tree(of("grp/sub: s"), nested("", grp__sub__s="d: 1\n")),
    tree(of("grp: x"), nested("", grp__x="defaults: [sub@_here_: s]\n", grp__sub__s="d: 1\n")), tree(of("grp: x"), nested("", grp__x="defaults: [sub@_group_: s]\n", grp__sub__s="d: 1\n")),
    tree(of("grp: x"), nested("", grp__x="defaults: [/db@db2: mysql]\n")), tree(of("grp: x", "override grp/sub: t"), nested("", grp__x="defaults: [sub: s]\n", grp__sub__s="d: 1\n", grp__sub__t="d: 2\n")),
    tree(of("grp: x"), nested("", grp__x="# @package _global_\nm: 1\n")), tree(of("grp: x"), nested("", grp__x="# @package _group_\nm: 1\n")),
    tree(of("grp: x"), nested("", grp__x="# @package foo.bar\nm: 1\n")), tree(of("grp: x"), nested("", grp__x="#@package foo\nm: 1\n")),
    tree(of("grp: x"), nested("", grp__x="\n# @package foo\nm: 1\n")), tree(of("grp: x"), nested("", grp__x="# note\n# @package foo\nm: 1\n")),
    tree(of("grp: x"), nested("", grp__x="# @package\nm: 1\n")), tree(of("grp: x"), nested("", grp__x="# @package a b\nm: 1\n")),
    tree(of("grp: x"), nested("", grp__x="# @other a\n# @package foo\nm: 1\n")), tree(of("grp: x"), nested("", grp__x="# @package _global_.q\nm: 1\n")),
    tree(of("grp@z: x"), nested("", grp__x="# @package _global_\nm: 1\n")), tree(of("grp: x"), nested("", grp__x="# @package _global_\ndefaults: [/db: mysql]\nm: 1\n")),
    tree(of("grp: x"), nested("", grp__x="# @package foo\ndefaults: [/db: mysql, sub: s]\nm: 1\n", grp__sub__s="d: 1\n")),
    tree(of("grp: x"), nested("", grp__x="# @package _here_\nm: 1\n")), tree(of("grp: [x, y]"), nested("", grp__x="# @package _global_\nm: 1\n", grp__y="m: 2\n")),
    tree(of("empty", "_self_"), {"conf/empty.yaml": ""}), tree(of("empty", "_self_"), {"conf/empty.yaml": "# only\n"}), tree(of("list"), {"conf/list.yaml": "[1, 2]\n"}),
    tree(of("grp: l"), {"conf/grp/l.yaml": "[1, 2]\n"}), tree(of("word"), {"conf/word.yaml": "word\n"}), tree(of("five"), {"conf/five.yaml": "5\n"}),
    tree(of("twice"), {"conf/twice.yaml": "a: 1\na: 2\n"}), tree(of("broken"), {"conf/broken.yaml": "a: [1\n"}), tree(of("open"), {"conf/open.yaml": "a: ${\n"}),
    tree(of("nul"), {"conf/nul.yaml": "null: 1\n"}), tree(of("defs"), {"conf/defs.yaml": "defaults: null\na: 1\n"}), tree(of("defs"), {"conf/defs.yaml": "defaults: []\na: 1\n"}),
    tree(of("defs"), {"conf/defs.yaml": "defaults: base\na: 1\n"}), tree(of("inner"), {"conf/inner.yaml": "a: {defaults: [base]}\n"}),
    tree(of("sp"), {"conf/sp.yaml": "hydra: {searchpath: [file://more]}\n"}), tree(of("sp"), {"conf/sp.yaml": "hydra: {searchpath: null}\n"}),
    tree(of("hy"), {"conf/hy.yaml": "hydra: {run: {dir: x}}\na: 1\n"}), tree(of("hy"), {"conf/hy.yaml": "hydra: {nowhere: 1}\n"}),
    tree(of("hy: z"), {"conf/hy/z.yaml": "hydra: {nowhere: 1}\n"}), tree(of("_self_"), hydra="  run: {dir: x}\n"), tree(of("_self_"), hydra="  nowhere: 1\n"),
    tree(of("_self_"), hydra="  output_subdir: null\n"), tree(of("_self_"), hydra="  job: {chdir: false}\n"), tree(of("_self_"), hydra="  verbose: true\n"),
    tree(of("base", "_self_"), path="[file://conf, file://more]"), tree(of("base", "_self_"), path="[file://more, file://conf]"),
    tree(of("extra", "base"), path="[file://conf, file://more]"), tree(of("base"), path="[file://gone, file://conf]"), tree(of("base"), path="[conf]"),
    tree(of("base"), path="[file://conf/]"), tree(of("base"), path="[file://./conf]"), tree(of("mysql"), path="[file://conf/db]"), tree(of("base"), path="[]"),
    tree(of("base"), path="null"), tree(of("_self_"), path="null"), tree(of("base"), path="file://conf"), tree(of("base"), path="[5, file://conf]"), tree(of("base"), path="[null]"),
    tree(of("_self_"), path="[pkg://nowhere.at.all]"), tree(of("_self_"), path="[odd://x]"), tree(of("base"), path="['file://${ajet.dir}']", own="dir: conf"),
    tree(of("base"), path="['file://${oc.env:AJ_NOPE,conf}']"), tree(of("base"), path="['file://${oc.env:AJ_NOPE}']"), tree(of("base"), path="['${..nowhere}']"),
    tree(of("base"), path="'${ajet.dirs}'", own="dirs: ['file://conf']"), tree(of("base", "_self_"), own="x: null"), tree(of("base", "_self_"), own="sub: null"),
    tree(of("base", "_self_"), own="sub: 5"), tree(of("base", "_self_"), own="sub: [1]"), tree(of("base", "_self_"), own="list: {a: 1}"), tree(of("base", "_self_"), own="list: []"),
    tree(of("base", "_self_"), own="list: null"), tree(of("base", "_self_"), own="x: {a: 1}"), tree(of("base", "_self_"), own="x: '???'"), tree(of("base", "_self_"), own="sub: '???'"),
    tree(of("base", "_self_"), own="new: '???'"), tree(of("base", "_self_"), own="sub: {}"), tree(of("base", "_self_"), own="sub: {q: null, r: {s: 1}}"),
    tree(of("base", "_self_"), own="sub: '${.other}', other: {k: 1}"), tree(of("i", "_self_"), {"conf/i.yaml": "ajet: {o: '${.p}', p: {k: 1}}\n"}, own="o: {m: 2}"),
    tree(of("i", "_self_"), {"conf/i.yaml": "ajet: {o: '${.p}', p: {k: 1}}\n"}, own="o: [2]"), tree(of("i", "_self_"), {"conf/i.yaml": "ajet: {o: '${.p}', p: [1]}\n"}, own="o: [2]"),
    tree(of("i", "_self_"), {"conf/i.yaml": "ajet: {o: '${.p}', p: [1]}\n"}, own="o: {a: 1}"), tree(of("i", "_self_"), {"conf/i.yaml": "ajet: {o: '${.nope}'}\n"}, own="o: {a: 1}"),
    tree(of("i", "_self_"), {"conf/i.yaml": "ajet: {o: '${.p}', p: {k: 1, l: '${.k}'}}\n"}, own="o: {k: 2}, p: {k: 3}"), tree(of("_self_"), own="x: '${hydra.run.dir}'"),
    tree(of("i", "j", "_self_"), {"conf/i.yaml": "ajet: {o: '${.p}', p: {k: {m: 1}}}\n", "conf/j.yaml": "ajet: {p: {k: {n: 2}}}\n"}, own="o: {k: {q: 3}}"),
    tree(of("i", "j", "_self_"), {"conf/i.yaml": "ajet: {o: '${.p}', p: {k: {m: 1}}}\n", "conf/j.yaml": "ajet: {p: {k: {n: 2}}}\n"}, own="o: {k: {q: 3}}, p: {k: {r: 4}}"),
    tree(of("i", "j", "_self_"), {"conf/i.yaml": "ajet: {p: {k: {m: 1}}, o: '${.p}'}\n", "conf/j.yaml": "ajet: {o: {k: {n: 2}}, p: {k: {s: 5}}}\n"}, own="p: {k: {r: 4}}"),
    tree(of("_self_"), own="x: '${hydra:run.dir}'"), tree(of("_self_"), own="x: '${defaults}'"), tree(of("base", "_self_"), own="x: '${.y}', w: '${ajet.sub.p}'"),
    tree(of("_self_"), own="x: 1, x: 2"), tree(of("_self_"), own="x: 1e-6, t: '<${.x}>'"), tree(of("_self_"), own="x: 2024-01-01"), tree(of("_self_"), own="x: '${'"),
    tree(of("_self_"), own="1: a, y: '${.1}'"), tree(of("db: mysql", "_self_"), own="x: '${db.port}'"), tree(of("db: mysql", "_self_"), own="x: '${db.nope}'"),
]  # fmt: skip
