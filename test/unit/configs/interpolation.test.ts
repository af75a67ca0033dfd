import { describe, expect, it } from 'vitest';
import { composeText, type Composing } from './memoryFiles.ts';

async function resolved(
  rows: readonly string[],
  composing?: Composing,
): Promise<{ x: unknown; problems: string[] }> {
  const text = [
    'ajet:',
    ...rows.map((row) => `  ${row}`),
    'top: {n: 1.0, flag: true, list: [a, {b: 7}]}',
    'defaults: [_self_]',
    'hydra: {}',
    '',
  ];
  const { config, problems } = await composeText(text.join('\n'), composing);
  const told = problems.map(({ code, severity, location }) => `${severity} ${code} ${location?.line ?? ''}`);
  return { x: config.get('ajet.x')?.value, problems: told };
}

describe('interpolation', () => {
  it.each([
    ['x: ${top.n}', 1],
    ['x: ${top.flag}', true],
    ['x: n=${top.n} on=${top.flag}', 'n=1.0 on=True'],
    ['x: ${top.list}', ['a', { b: 7 }]],
    ['x: ${top.list[1].b}', 7],
    ['x: ${top.list.1.b}', 7],
    ['x: ${.y}\n  y: ${..top.list.0}', 'a'],
    ['x: ${ajet.${.name}}\n  name: y\n  y: 5', 5],
    ['x: \\${top.n}', '${top.n}'],
    ['x: \\\\${top.list.0}', '\\a'],
    ['x: ${ajet.s}\n  s: {a: "${.b}", b: 2}', { a: 2, b: 2 }],
    ['x: $top {top}', '$top {top}'],
    ['x: a${top.list}', "a['a', {'b': 7}]"],
  ])('resolves %j', async (row, value) => {
    expect(await resolved([row])).toEqual({ x: value, problems: [] });
  });

  it('reads the environment as text, and a default where a variable is not set', async () => {
    const environment = (name: string): string | undefined => ({ PORT: '80', EMPTY: '' })[name];
    const of = async (written: string): Promise<unknown> =>
      (await resolved([`x: ${written}`], { environment })).x;
    expect(await of('${oc.env:PORT}')).toBe('80');
    expect(await of('${oc.env:EMPTY,no}')).toBe('');
    expect(await of('${oc.env:NOPE, 12}')).toBe('12');
    expect(await of('"${oc.env:NOPE,\'a, b\'}"')).toBe('a, b');
    expect(await of('${oc.env:NOPE,null}')).toBe(null);
    expect(await of('${oc.env:NOPE,${oc.env:PORT}}')).toBe('80');
    expect(await of('${oc.decode:${oc.env:PORT}}')).toBe(80);
    expect(await of('http://${oc.env:HOST,localhost}:${oc.env:PORT}/v1')).toBe('http://localhost:80/v1');
  });

  it.each([
    ['x: ${nope.y}', 'error config/interpolation-missing 2'],
    ['x: ${oc.env:NOPE}', 'error config/environment-missing 2'],
    ['x: ${env:HOME}', 'error config/interpolation-resolver 2'],
    ['x: ${top', 'error config/interpolation 2'],
    ['x: ${}', 'error config/interpolation 2'],
    ['x: ${top.x${top.n}}', 'error config/interpolation 2'],
    ['x: ${.x}', 'error config/interpolation-cycle 2'],
    ['x: {y: "${ajet.x}"}', 'error config/interpolation-cycle 2'],
  ])('reports %j once and leaves it as written', async (row, problem) => {
    const { x, problems } = await resolved([row]);
    expect(problems).toEqual([problem]);
    expect(JSON.stringify(x)).toContain('$');
  });

  it('reports a ring once, wherever it is entered', async () => {
    expect((await resolved(['x: ${.y}', 'y: ${.z}', 'z: ${.x}'])).problems).toEqual([
      'error config/interpolation-cycle 2',
    ]);
  });

  it('refuses the environment to an untrusted workspace', async () => {
    const { problems } = await resolved(['x: ${oc.env:HOME,none}'], { environment: 'blocked' });
    expect(problems).toEqual(['error config/environment-blocked 2']);
  });

  it('only warns outside ajet, and leaves the rest of the hydra section alone', async () => {
    const text =
      'ajet: {}\ntrainer: {a: "${env:HOME}", b: "${now:%Y}"}\nhydra: {run: {dir: "${now:%Y}"}}\ndefaults: [_self_]\n';
    const { problems } = await composeText(text);
    expect(problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning config/interpolation-resolver',
    ]);
  });

  it('does not let values or texts explode', async () => {
    const rows = Array.from({ length: 60 }, (_, index) =>
      index === 0 ? 'a0: [1, 2]' : `a${index}: ["\${.a${index - 1}}", "\${ajet.a${index - 1}}"]`,
    );
    const texts = Array.from({ length: 60 }, (_, index) =>
      index === 0 ? 't0: ab' : `t${index}: "\${.t${index - 1}}\${.t${index - 1}}"`,
    );
    expect((await resolved(rows.map((row) => row.replace('${.a', '${ajet.a')))).problems).not.toEqual([]);
    expect((await resolved(texts)).problems).not.toEqual([]);
  });

  it('gives up on endless chains', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => `c${index}: \${.c${index + 1}}`);
    expect((await resolved([...rows, 'c3000: 1'])).problems.length).toBeGreaterThan(0);
  });
});
