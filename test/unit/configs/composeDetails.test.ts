import { describe, expect, it } from 'vitest';
import { compose } from '../../../src/configs/core/compose.ts';
import { dialects } from '../../../src/configs/core/dialect.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { composeText, memoryFiles, posix } from './memoryFiles.ts';

const files = {
  '/srv/base.yaml': 'defaults: [/db: small, _self_]\najet: {x: base, y: 1}\n',
  '/srv/db/small.yaml': '# @package ajet.db\nsize: 1\nkind: small\n',
  '/srv/db/large.yaml': '# @package ajet.db\nsize: 9\n',
};
const steering = 'hydra: {searchpath: [file:///srv]}\n';

describe('layers', () => {
  const text = `ajet: {y: 2}\n${steering}defaults:\n  - base\n  - _self_\n  - override db: large\n`;

  it('come in the order in which they are laid over one another, with the place that names each', async () => {
    const { layers, problems } = await composeText(text, { files });
    expect(problems).toEqual([]);
    expect(layers.map(({ file, name, written }) => [file, name, written?.file, written?.line])).toEqual([
      ['/srv/db/large.yaml', 'db/large', '/srv/base.yaml', 1],
      ['/srv/base.yaml', 'base', '/project/conf/exp.yaml', 4],
      ['/project/conf/exp.yaml', '_self_', undefined, undefined],
    ]);
  });

  it('tell who sets a path, the last one counting', async () => {
    const { setBy, config } = await composeText(text, { files });
    const lines = setBy('ajet.y').map((origin) => (origin.kind === 'file' ? origin.location : undefined));
    expect(lines).toMatchObject([
      { file: '/srv/base.yaml', line: 2 },
      { file: '/project/conf/exp.yaml', line: 1 },
    ]);
    expect(setBy('ajet.nowhere')).toEqual([]);
    expect(config.get('ajet.db.size')).toMatchObject({
      value: 9,
      origin: { location: { file: '/srv/db/large.yaml', line: 2 } },
    });
  });

  it('parses other files with what it is given', async () => {
    const parsed: string[] = [];
    await compose({
      file: '/project/exp.yaml',
      text,
      cwd: '/project',
      files: memoryFiles(files),
      paths: posix,
      environment: 'blocked',
      parsed: (file, content) => {
        parsed.push(file);
        return parseConfig(content);
      },
    });
    expect(parsed).toEqual(['/srv/base.yaml', '/srv/db/large.yaml']);
  });
});

describe('places of problems', () => {
  const shown = async (text: string): Promise<unknown[]> => {
    const { problems } = await composeText(text, { files });
    return problems.map(({ code, span, location }) => {
      return [code, span && text.slice(span.start, span.end), location?.line, location?.column];
    });
  };
  const end = `${steering}defaults: [_self_]\n`;

  it.each([
    ['ajet:\n  x: a ${b} ${ajet.y}\n  y: 1\n', ['config/interpolation-missing', '${b}', 2, 8]],
    ['ajet:\n  x: "\\t ${b}"\n', ['config/interpolation-missing', '${b}', 2, 10]],
    ['ajet:\n  x: >-\n    a\n    ${b} c\n', ['config/interpolation-missing', '${b}', 4, 5]],
    ['ajet:\n  x: ${.x}\n', ['config/interpolation-cycle', '${.x}', 2, 6]],
    ['ajet:\n  x: a ${b\n', ['config/interpolation', '${b', 2, 8]],
    ['ajet:\n  x: ???\n', ['config/missing-value', '???', 2, 6]],
    ['ajet:\n  x: ${oc.env:NOPE}\n', ['config/environment-missing', '${oc.env:NOPE}', 2, 6]],
  ])('are exact in %j', async (text, problem) => {
    expect(await shown(text + end)).toEqual([problem]);
  });

  it('are those of entries in `defaults`', async () => {
    const text = `ajet: {}\n${steering}defaults:\n  - _self_\n  - gone\n  - db: gone\n  - override no: x\n`;
    expect(await shown(text)).toEqual([
      ['config/defaults-missing', 'db: gone', 6, 5],
      ['config/defaults-missing', 'gone', 5, 5],
      ['config/defaults', 'override no: x', 7, 5],
    ]);
  });

  it('stay in the file that has the problem', async () => {
    const text = `ajet: {}\n${steering}defaults: [bad]\n`;
    const { problems } = await composeText(text, { files: { '/srv/bad.yaml': 'ajet:\n  x: ${nope}\n' } });
    expect(problems).toMatchObject([{ location: { file: '/srv/bad.yaml', line: 2, column: 6 } }]);
    expect(problems[0]?.span).toBeUndefined();
  });
});

describe('a file over the defaults of a program', () => {
  const dialect = dialects.find(({ composition }) => composition === 'omegaconf');

  it('has no list of defaults, and problems anywhere are errors', async () => {
    const text = 'mode: both\nproject: ${name}\nname: "n ${nope}"\ndefaults: [_self_]\nmodel: {a: 1, a: 2}\n';
    const { config, problems, layers } = await compose({
      file: '/project/exp.yaml',
      text,
      cwd: '/project',
      files: memoryFiles({}),
      paths: posix,
      environment: () => undefined,
      ...(dialect && { dialect }),
    });
    expect(config.get('defaults')?.value).toEqual(['_self_']);
    expect(layers.map(({ file }) => file)).toEqual([undefined, '/project/exp.yaml']);
    expect(problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'error config/duplicate-key',
      'error config/interpolation-missing',
    ]);
  });
});

describe('values that cannot be joined', () => {
  it('are told where they stand', async () => {
    const text = `ajet: {y: [1], x: {a: 1}}\n${steering}defaults: [other, _self_]\n`;
    const other = { '/srv/other.yaml': 'ajet: {y: {b: 1}, x: 3}\n' };
    const { problems, config } = await composeText(text, { files: other });
    expect(problems).toMatchObject([
      { code: 'config/merge', severity: 'error', location: { line: 1, column: 11 } },
    ]);
    expect(config.get('ajet')?.value).toEqual({ y: [1], x: { a: 1 } });
  });
});
