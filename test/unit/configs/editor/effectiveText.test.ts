/** What the read-only document of an effective config says. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigContext } from '../../../../src/configs/core/context.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { readContext } from '../../../../src/configs/core/readContext.ts';
import { effectiveText } from '../../../../src/configs/editor/effective/effectiveText.ts';
import { memoryFiles } from '../memoryFiles.ts';

const naming = { name: 'exp.yaml', relativeTo: '/w' };

async function contextOf(
  text: string,
  others: Readonly<Record<string, string>> = {},
): Promise<ConfigContext> {
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('The text is no config.');
  return readContext(parseConfig(text), dialect, {
    file: '/w/exp.yaml',
    cwd: '/w',
    files: memoryFiles({ '/w/exp.yaml': text, ...others }),
    paths: path.posix,
    environment: () => undefined,
    classes: { find: () => Promise.resolve({ status: 'elsewhere' }), all: () => Promise.resolve([]) },
  });
}

const config = `ajet:
  project_name: math
  data:
    train_batch_size: 8
  rollout:
    num_repeat: \${ajet.data.train_batch_size}
hydra:
  searchpath: [file://defaults]
defaults: [team, _self_]
`;
const team = { '/w/defaults/team.yaml': 'ajet:\n  rollout:\n    temperature: 0.5\n' };

describe('the effective config as a text', () => {
  it('tells each value with where it comes from, by the line', async () => {
    const { text, origins } = effectiveText(
      await contextOf(config, team),
      { target: 'own', shows: 'origins' },
      naming,
    );
    const lines = text.split('\n');
    expect(lines[0]).toBe('# exp.yaml, composed');
    const line = lines.findIndex((one) => one.includes('temperature'));
    expect(lines[line]).toMatch(/^ {4}temperature: 0\.5 +# defaults\/team\.yaml:3$/);
    expect(origins.get(line)).toMatchObject({
      path: ['ajet', 'rollout', 'temperature'],
      origin: { kind: 'file', location: { file: '/w/defaults/team.yaml', line: 3 } },
    });
    expect(lines.find((one) => one.includes('num_repeat'))).toMatch(/num_repeat: 8 +# exp\.yaml:6$/);
  });

  it('says what is wrong in lines that fit beside the config', async () => {
    const { text, origins } = effectiveText(
      await contextOf(config),
      { target: 'own', shows: 'origins' },
      { ...naming, isOld: true },
    );
    const lines = text.split('\n');
    const header = lines.slice(0, lines.indexOf(''));
    expect(header.slice(0, 2)).toEqual([
      '# exp.yaml, composed',
      '# The YAML has an error. This is the last valid version.',
    ]);
    expect(
      header
        .slice(2)
        .join(' ')
        .replaceAll(/\s*#\s*/g, ' '),
    ).toContain('error exp.yaml:9: ');
    expect(header.length).toBeGreaterThan(3);
    expect(Math.max(...header.map((line) => line.length))).toBeLessThanOrEqual(56);
    for (const [line, { path: keys }] of origins) {
      if (typeof keys.at(-1) === 'string') expect(lines[line]).toContain(String(keys.at(-1)));
    }
  });

  it('reads back as YAML to what the config is worth', async () => {
    const context = await contextOf(config, team);
    const { text } = effectiveText(context, { target: 'own', shows: 'origins' }, naming);
    const { root } = parseConfig(text);
    expect(root?.kind).toBe('mapping');
    expect(parseConfig(text).problems).toEqual([]);
  });

  it('puts what is wrong on top', async () => {
    const broken = config.replace('ajet.data.train_batch_size', 'ajet.data.nowhere');
    const { text } = effectiveText(
      await contextOf(broken, team),
      { target: 'own', shows: 'origins' },
      naming,
    );
    expect(
      text
        .split('\n')
        .slice(1)
        .find((line) => line.startsWith('# error')),
    ).toMatch(/^# error exp\.yaml:6: .*ajet\.data\.nowhere/);
  });

  it('shows what the launcher makes of it for a backbone', async () => {
    const whole = config
      .replace('defaults: [', 'defaults: [ajet_default, ')
      .replace(/num_repeat: .*/, 'num_repeat: 6');
    const context = await contextOf(whole, team);
    const { text, origins } = effectiveText(context, { target: 'trinity', shows: 'origins' }, naming);
    expect(text).toMatch(/^# exp\.yaml, as Trinity-RFT receives it\n/);
    expect(text).toMatch(/^ {2}repeat_times: 6 +# ajet\.rollout\.num_repeat, exp\.yaml:6$/m);
    const line = text.split('\n').findIndex((one) => one.startsWith('  train_batch_size: '));
    expect(origins.get(line)?.origin).toMatchObject({ kind: 'rule' });
  });

  it('is the same for two texts of the same values', async () => {
    const moved = `defaults: [_self_]
ajet:
  rollout: {temperature: 0.50, num_repeat: 8}
  data: {train_batch_size: 8}
  project_name: 'math'
hydra:
  searchpath: []
`;
    const view = { target: 'own', shows: 'values' } as const;
    const one = effectiveText(await contextOf(config, team), view, naming);
    const other = effectiveText(await contextOf(moved), view, naming);
    expect(other.text).toBe(one.text);
  });

  it('says that verl is not given the configs of Trinity', async () => {
    const trinity =
      'mode: both\nalgorithm:\n  algorithm_type: grpo\nbuffer:\n  batch_size: 8\nexplorer: {}\n';
    const { text } = effectiveText(await contextOf(trinity), { target: 'verl', shows: 'origins' }, naming);
    expect(text).toBe('# exp.yaml is a config of Trinity-RFT, so it cannot be converted for verl.\n');
  });
});
