import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compose } from '../../../src/configs/core/compose.ts';
import { resolveInterpolations } from '../../../src/configs/core/interpolation/resolver.ts';
import { readLayer } from '../../../src/configs/core/compose/repository.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import type { ConfigProblem } from '../../../src/configs/core/finding.ts';
import { pythonText } from '../../../src/configs/core/scalar.ts';
import type { Value } from '../../../src/configs/core/value.ts';
import { memoryFiles, posix } from './memoryFiles.ts';

/** What `node test/tools/vectors/regenerate.mjs` had Hydra and OmegaConf make of our inputs. */
const folder = path.resolve(import.meta.dirname, '../../fixtures/hydra');
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));

interface Told {
  readonly result?: Readonly<Record<string, unknown>>;
  /** The class of what was raised. */
  readonly refused?: string;
}

interface TextGroup {
  readonly base: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly cases: readonly (Told & { readonly text: string })[];
}

interface TreeGroup {
  readonly files: Readonly<Record<string, string>>;
  readonly cases: readonly (Told & {
    readonly files: Readonly<Record<string, string>>;
    readonly primary: string;
  })[];
}

/** As in hydra_vectors.py. */
const variables: Readonly<Record<string, string>> = {
  AJ_HOST: 'host',
  AJ_PORT: '8080',
  AJ_EMPTY: '',
  AJ_LIST: '[1, 2.0]',
};
const environment = (name: string): string | undefined => variables[name];

/** JSON as the vectors have it, which keeps floats apart from integers. */
function encoded(value: Value): unknown {
  if (value.kind === 'sequence') return value.items.map(encoded);
  if (value.kind === 'mapping') {
    return Object.fromEntries([...value.entries].map(([key, child]) => [key, encoded(child)]));
  }
  return value.type === 'float' ? `!float ${pythonText(value)}` : value.value;
}

/** Only reading what is still to be set is refused, not composing it; outside `ajet` problems are warnings. */
function refusals(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.filter(({ code, severity }) => {
    return (
      code !== 'config/missing-value' && (severity === 'error' || /^config\/(?:interp|environ)/.test(code))
    );
  });
}

function outcome(value: Value, problems: readonly ConfigProblem[]): unknown {
  return refusals(problems).length > 0 ? 'refused' : encoded(value);
}

function resolved(text: string): unknown {
  const { value, problems } = readLayer('/text.yaml', parseConfig(text), true);
  if (value.kind !== 'mapping') return 'refused';
  const done = resolveInterpolations(value, environment, { section: undefined, atRunTime: [] });
  return outcome(done.root, [...problems, ...done.problems]);
}

async function composed(primary: string, files: Readonly<Record<string, string>>): Promise<unknown> {
  const placed = Object.entries(files).map(([name, content]) => [`/project/${name}`, content]);
  const composition = await compose({
    file: '/launcher/primary.yaml',
    text: primary,
    cwd: '/project',
    files: memoryFiles(Object.fromEntries(placed) as Record<string, string>),
    paths: posix,
    environment,
  });
  const { root } = composition.config;
  const entries = new Map([...root.entries].filter(([key]) => key !== 'hydra' && key !== 'defaults'));
  return outcome({ ...root, entries }, composition.problems);
}

describe('what OmegaConf makes of a text', () => {
  const groups = read('texts.json') as readonly TextGroup[];

  it.each(groups.map((group, index) => [index, group] as const))('is made of it here (%i)', (_, group) => {
    const differ: unknown[] = [];
    for (const { text, result, refused } of group.cases) {
      const expected = refused === undefined ? { ...group.result, ...result } : 'refused';
      const actual = resolved(group.base + text);
      if (isSame(actual, expected) || isLeft(text, actual)) continue;
      differ.push({ text, refused, expected, actual });
    }
    expect(differ).toEqual([]);
  });
});

describe('what Hydra composes', () => {
  const groups = read('trees.json') as readonly TreeGroup[];

  it.each(groups.map((group, index) => [index, group] as const))(
    'is composed here (%i)',
    async (_, group) => {
      const differ: unknown[] = [];
      for (const { primary, files, result, refused } of group.cases) {
        const all = { ...group.files, ...files };
        const actual = await composed(primary, all);
        const expected = refused === undefined ? result : 'refused';
        const text = JSON.stringify(all) + primary;
        if (isSame(actual, expected) || isLeft(text, actual)) continue;
        differ.push({ primary, files, refused, expected, actual });
      }
      expect(differ).toEqual([]);
    },
  );
});

/** Configs of AgentJet and Trinity themselves, where they have been put beside the project. */
const shared = path.resolve(import.meta.dirname, '../../../../shared/data/configs');
const realDefaults = {
  'ajet_default.yaml': 'ajet_default',
  'verl/verl_default.yaml': 'verl_verl_default',
  'trinity/trinity_default.yaml': 'trinity_trinity_default',
};

describe.runIf(existsSync(shared))('configs of AgentJet and Trinity themselves', () => {
  const hashes = Object.entries(read('real.json') as Record<string, string>);
  const text = (name: string): string => readFileSync(path.join(shared, name), 'utf8');
  const files = (): Record<string, string> =>
    Object.fromEntries(
      Object.entries(realDefaults).map(([name, source]) => {
        return [`ajet/default_config/${name}`, text(`agentjet/ajet_default_config_${source}.yaml`)];
      }),
    );

  it.each(hashes)('%s becomes what Hydra and OmegaConf make of it', async (name, hash) => {
    const actual = name.startsWith('trinity/') ? resolved(text(name)) : await composed(text(name), files());
    const canonical = JSON.stringify(sorted(actual));
    expect(actual === 'refused' ? actual : createHash('sha256').update(canonical).digest('hex')).toBe(hash);
  });
});

/** Lists and sections in arguments, `oc.create` of a text, and what resolvers make within a text are left as written. */
const notEvaluated = /[:,][ \t]*'*[[{]|AJ_LIST|oc\.(?:create|dict)/;

function isLeft(text: string, actual: unknown): boolean {
  return notEvaluated.test(text) && JSON.stringify(actual).includes('${');
}

function isSame(actual: unknown, expected: unknown): boolean {
  return JSON.stringify(sorted(actual)) === JSON.stringify(sorted(expected));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, sorted(child)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
