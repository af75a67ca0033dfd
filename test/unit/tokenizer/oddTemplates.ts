/** Templates whose loop looks at more than its message, in the ways that templates do and in ways that none does. */

const turn = "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}";
const end = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

function loop(body: string, over = 'messages'): string {
  return `{% for message in ${over} %}${body}{% endfor %}${end}`;
}

/** Of which a growing conversation costs only what is new. */
export const rememberedTemplates: Readonly<Record<string, string>> = {
  'no more than its message': loop(turn),
  'whether it is last': loop(`${turn}{% if loop.last %}!{% endif %}`),
  'the message before': loop(
    `{% if loop.first or messages[loop.index0 - 1].role != message.role %}${turn}{% endif %}`,
  ),
  'the message after': loop(`{{ messages[loop.index0 + 1].role }}${turn}{{ loop.nextitem.content }}`),
  'the first of all': loop(`{{ messages[0].role ~ (loop.previtem or message).role }}${turn}`),
  'its place': loop(`{{ loop.index }}${turn}{{ loop.index0 % 2 }}`),
  'all but the first': `{% set rest = messages[1:] %}${loop(`{% if loop.last or rest[loop.index0 + 1].role == 'user' %}.{% endif %}${turn}`, 'rest')}`,
  'what the turn before left': loop(
    `{% if loop.first %}{% set count = 0 %}{% endif %}{% set count = count + 1 %}{{ count }}${turn}`,
  ),
  'what a namespace counts': `{% set ns = namespace(seen=0, words='') %}${loop(
    `{% set ns.seen = ns.seen + 1 %}{% set ns.words = ns.words ~ message.role %}${turn}{{ ns.seen }}`,
  )}{{ ns.seen ~ ns.words }}`,
  'by a macro': `{% macro say(text) %}{{ text ~ loop.index0 ~ bos_token }}{% endmacro %}${loop(`{{ say(message.content) }}${turn}`)}`,
  twice: loop(turn) + loop(`{{ loop.index }}${turn}`),
  'its calls': loop(
    `${turn}{% for call in message.tool_calls or [] %}{{ loop.index0 ~ loop.last ~ call | tojson }}{% endfor %}`,
  ),
};

export const oddTemplates: Readonly<Record<string, string>> = {
  ...rememberedTemplates,
  // It makes nothing of most messages, but looks through all of them each time.
  'the last question': `{% set ns = namespace(query=-1) %}{% for m in messages[::-1] %}{% if ns.query == -1 and m.role == 'user' %}{% set ns.query = messages | length - 1 - loop.index0 %}{% endif %}{% endfor %}${loop(
    `{% if loop.index0 > ns.query %}(new){% elif ns.query < loop.index %}(old){% endif %}${turn}`,
  )}`,
  'how many there are': loop(`{{ messages | length }}${turn}`),
  'how many there are, by the loop': loop(`{{ loop.length ~ loop.revindex ~ loop.revindex0 }}${turn}`),
  'the last of all': loop(`{{ messages[-1].role }}${turn}`),
  'the message before, without care': loop(`{{ messages[loop.index0 - 1].role }}${turn}`),
  'the messages after': loop(`{{ messages[loop.index0 + 1:] | length }}${turn}`),
  'every message': loop(`{% for other in messages %}{{ other.role }}{% endfor %}${turn}`),
  'the whole loop': `{% macro all(l) %}{{ l.length }}{% endmacro %}${loop(`{{ all(loop) }}${turn}`)}`,
  'the loop by a text': loop(`{{ loop['length'] }}${turn}`),
  'the list by another name': loop(`{% set all = messages %}{{ all | length }}${turn}`),
  'the list by a name from before': `{% set all = messages %}${loop(`{{ all | length }}${turn}`)}`,
  'the list in a list': `{% set all = [messages] %}${loop(`{{ all[0] | length }}${turn}`)}`,
  'a list of some': `{% set some = messages[1:] %}${loop(`{{ some | length }}${turn}`)}`,
  'what is picked': loop(`{{ loop.index }}${turn}`, "messages if message.role != 'system'"),
  backwards: loop(`{{ loop.index }}${turn}`, 'messages[::-1]'),
  'a count in a namespace': `{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}${loop(`{{ ns.n }}${turn}`)}`,
  'a place in a namespace that it moves': `{% set ns = namespace(place=1) %}${loop(
    `{% if loop.index0 > ns.place %}{% set ns.place = ns.place + 2 %}*{% endif %}${turn}`,
  )}{{ ns.place }}`,
  'a place of another loop': `{% set ns = namespace(place=messages | length - 2) %}${loop(
    `{% for c in [1, 2, 3] %}{% if loop.index0 > ns.place %}*{% endif %}{% endfor %}${turn}`,
  )}`,
  'a place that is none': `{% set ns = namespace(place=none) %}${loop(`{% if ns.place is none %}${turn}{% elif loop.index > ns.place %}*{% endif %}`)}`,
  'a namespace by another name': `{% set ns = namespace(n=0) %}${loop(
    `{% set other = ns %}{% set other.n = ns.n + 1 %}{{ ns.n }}${turn}`,
  )}{{ ns.n }}`,
  'a namespace of its own': loop(
    `{% if loop.first %}{% set own = namespace(n=0) %}{% endif %}{% set own.n = own.n + 1 %}{{ own.n }}${turn}`,
  ),
  'a namespace in a list': `{% set ns = namespace(n=0) %}{% set list = [ns] %}${loop(
    `{% set ns.n = ns.n + 1 %}{{ list[0].n }}${turn}`,
  )}`,
  'a namespace in a namespace': `{% set a = namespace(n=0) %}{% set b = namespace(a=a) %}${loop(
    `{% set a.n = a.n + 1 %}{{ b.a.n }}${turn}`,
  )}`,
  'a namespace by a text': `{% set ns = namespace(n=messages | length) %}${loop(
    `{% set key = 'n' %}{{ ns[key] }}{% if loop.index > ns.n %}*{% endif %}${turn}`,
  )}`,
  'a namespace that grows': `{% set ns = namespace() %}${loop(`{% set ns.last = message.role %}${turn}`)}{{ ns.last }}`,
  'the tools': loop(`{{ tools | tojson }}${turn}`),
  'whether there are tools': loop(`{% if tools %}{{ tools | length }}{% endif %}${turn}`),
  'the prompt': loop(`{% if add_generation_prompt and loop.last %}?{% endif %}${turn}`),
  'the time': loop(`{{ strftime_now('%Y') }}${turn}`),
  'a refusal': loop(
    `{% if message.role == 'tool' %}{{ raise_exception('no ' ~ loop.index) }}{% endif %}${turn}`,
  ),
  'up to a tool': loop(`{% if message.role == 'tool' %}{% break %}{% endif %}${turn}`),
  'all but tools': loop(`{% if message.role == 'tool' %}{% continue %}{% endif %}${turn}`),
  'or nobody': `{% for message in messages %}${turn}{% else %}nobody{% endfor %}${end}`,
  'one of two macros': `{% if messages | length > 3 %}{% macro say() %}long{% endmacro %}{% else %}{% macro say() %}short{% endmacro %}{% endif %}${loop(`{{ say() }}${turn}`)}`,
  'a macro by another name': `{% macro a() %}a{% endmacro %}{% macro b() %}b{% endmacro %}{% if messages | length > 3 %}{% set a = b %}{% endif %}${loop(`{{ a() }}${turn}`)}`,
  'an item whose place a macro moves': `{% set ns = namespace(n=-1) %}{% macro move() %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{% endmacro %}${loop(`{{ messages[move() | int].role ~ ns.n }}${turn}`)}`,
  'a macro of its own': loop(`{% macro say() %}{{ loop.length }}{% endmacro %}{{ say() }}${turn}`),
  pairs: `{% for role, content in [['a', 'b']] %}{{ role ~ content }}{% endfor %}${end}`,
  'parts of messages': loop(`{{ '<|im_' }}${turn}start|>x`),
};
