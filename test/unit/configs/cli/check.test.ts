import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ruleCatalog } from '../../../../src/configs/core/finding.ts';
import { runHere } from '../../command/commandLines.ts';

const good = 'ajet:\n  rollout:\n    num_repeat: 4\n';
const slip = 'ajet:\n  rollout:\n    num_repeats: 4\n';
const wrong = 'ajet:\n  rollout:\n    num_repeat: "4"\n';
const foreign = 'services:\n  web: {image: x}\n';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-check-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], stdin = '', colour = false): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    colour,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const code = await runHere(['check', ...args], {
    stdout: output('stdout'),
    stderr: output('stderr'),
    readStdin: () => Promise.resolve(stdin),
    cwd: folder,
    env: {},
  });
  return { code, ...written };
}

async function json(...args: string[]): Promise<unknown> {
  const { stdout } = await run([...args, '--format', 'json']);
  return JSON.parse(stdout);
}

describe('agentjet check', () => {
  it('tells findings as compilers do, with a summary', async () => {
    await put({ 'good.yaml': good, 'slip.yaml': slip, 'wrong.yaml': wrong, 'other.yaml': foreign });
    const { code, stdout, stderr } = await run(['good.yaml', 'slip.yaml', 'wrong.yaml', 'other.yaml']);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^slip\.yaml:3:5 warning unknown-key `num_repeats` is not a key of `ajet\.rollout`/,
      ),
      expect.stringMatching(/^wrong\.yaml:3:17 error wrong-type `num_repeat` must be an integer/),
      'other.yaml: not a config of AgentJet or Trinity-RFT, not checked',
      '1 error, 1 warning in 3 configs; 1 other file not checked',
      '',
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });

  it('succeeds with warnings, and colours what somebody looks at', async () => {
    await put({ 'slip.yaml': slip });
    const { code, stdout } = await run(['slip.yaml'], '', true);
    expect(code).toBe(0);
    expect(stdout).toContain('\u001b[33mwarning\u001b[39m');
  });

  it('gives JSON with places and fixes', async () => {
    await put({ 'slip.yaml': slip, 'other.yaml': foreign });
    expect(await json('slip.yaml', 'other.yaml')).toEqual([
      {
        file: 'slip.yaml',
        dialect: 'ajet',
        diagnostics: [
          {
            line: 3,
            column: 5,
            endLine: 3,
            endColumn: 16,
            severity: 'warning',
            rule: 'unknown-key',
            message: expect.stringContaining('Did you mean `num_repeat`?') as string,
            fixes: expect.arrayContaining([
              { title: 'Rename to `num_repeat`', edits: [{ start: 21, end: 32, newText: 'num_repeat' }] },
            ]) as unknown[],
          },
        ],
      },
      { file: 'other.yaml', dialect: null, diagnostics: [] },
    ]);
  });

  it('counts hints as information', async () => {
    await put({ 'a.yaml': 'ajet:\n  rollout: {max_num_seqs: 4}\n' });
    expect(await json('a.yaml')).toMatchObject([{ diagnostics: [{ severity: 'info', rule: 'unused-key' }] }]);
    expect((await run(['a.yaml'])).stdout).toContain('0 errors, 0 warnings, 1 information in 1 config');
  });

  it('searches folders and patterns, each file once', async () => {
    await put({
      'conf/b.yml': slip,
      'conf/deep/a.yaml': good,
      'conf/node_modules/x.yaml': wrong,
      'conf/.hidden/x.yaml': wrong,
      'conf/notes.txt': wrong,
    });
    const names = [path.join('conf', 'b.yml'), path.join('conf', 'deep', 'a.yaml')];
    expect(await json('conf', 'conf/b.yml')).toMatchObject(names.map((file) => ({ file })));
    expect(await json('conf/**/a.yaml')).toMatchObject([{ file: names[1] }]);
  });

  it('reads the standard input', async () => {
    const { code, stdout } = await run(['-'], wrong);
    expect(stdout).toMatch(/^-:3:17 error wrong-type/);
    expect(code).toBe(1);
  });

  it('says what cannot be read, and checks the rest', async () => {
    await put({ 'wrong.yaml': wrong, 'empty/x.txt': '' });
    const { code, stdout, stderr } = await run(['nowhere.yaml', 'empty', 'wrong.yaml']);
    expect(code).toBe(2);
    expect(stdout).toContain('wrong.yaml:3:17 error');
    expect(stderr).toContain('nowhere.yaml: The file or folder does not exist. [cli/no-file]');
    expect(stderr).toContain('empty: The folder contains no YAML files. [cli/no-file]');
  });

  it('reads no pipe and no device, also where a config names it as its default', async () => {
    await put({
      'a.yaml': `hydra:\n  searchpath: ["file://conf"]\ndefaults: [pipe, _self_]\n${good}`,
      'b.yaml': `hydra:\n  searchpath: ["file://conf"]\ndefaults: [zero, _self_]\n${good}`,
      'conf/other.yaml': good,
    });
    const pipe = path.join(folder, 'conf/pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    await symlink('/dev/zero', path.join(folder, 'conf/zero.yaml'));
    const { code, stderr } = await run(['a.yaml', 'b.yaml', 'conf/pipe.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain(`a.yaml: It cannot be read: not a regular file (${pipe}). [cli/unreadable]`);
    expect(stderr).toContain('b.yaml: It cannot be read: not a regular file (');
    expect(stderr).toContain('conf/pipe.yaml: It cannot be read: not a regular file. [cli/unreadable]');
  });

  it('takes rules more or less seriously when told to', async () => {
    await put({ 'slip.yaml': slip });
    expect((await run(['slip.yaml', '--rule', 'unknown-key=error'])).code).toBe(1);
    const { code, stdout } = await run(['slip.yaml', '--rule', 'unknown-key=off']);
    expect(stdout).toBe('0 errors, 0 warnings in 1 config\n');
    expect(code).toBe(0);
  });

  it.each([
    [[], 'agentjet check needs <files>.'],
    [['a.yaml', '--format', 'xml'], '--format cannot be xml.'],
    [['a.yaml', '--rule', 'nothing=off'], '--rule nothing=off: the rule "nothing" does not exist.'],
    [['a.yaml', '--nothing'], 'Unknown option --nothing.'],
  ])('refuses %j', async (args, message) => {
    await expect(run(args)).rejects.toMatchObject({ code: 'cli/usage', message });
  });

  it('explains itself', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: agentjet check [options] <files...>');
  });
});

describe('the SARIF log', () => {
  it('names every rule with its help, and points into files relative to the working directory', async () => {
    await put({ 'a b/slip.yaml': slip });
    const { stdout } = await run(['a b/slip.yaml', '--format', 'sarif']);
    const log = JSON.parse(stdout) as { version: string; runs: readonly SarifRun[] };
    expect(log.version).toBe('2.1.0');
    const [only] = log.runs;
    const rules = only?.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(Object.keys(ruleCatalog));
    for (const rule of rules) {
      expect(['error', 'warning', 'note']).toContain(rule.defaultConfiguration.level);
      expect(rule.help.text).not.toBe('');
      expect(rule.help.text).not.toContain('`');
    }
    const [result] = only?.results ?? [];
    expect(result).toMatchObject({
      ruleId: 'unknown-key',
      level: 'warning',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'a%20b/slip.yaml', uriBaseId: 'SRCROOT' },
            region: { startLine: 3, startColumn: 5, endLine: 3, endColumn: 16 },
          },
        },
      ],
    });
    expect(rules[result?.ruleIndex ?? -1]?.id).toBe('unknown-key');
    expect(result?.fixes?.[0]?.artifactChanges[0]?.replacements).toEqual([
      { deletedRegion: { charOffset: 21, charLength: 11 }, insertedContent: { text: 'num_repeat' } },
    ]);
    expect(only?.originalUriBaseIds['SRCROOT']?.uri).toMatch(/^file:\/\/.*\/$/);
  });

  it('tells whether everything could be read', async () => {
    await put({ 'good.yaml': good });
    const { stdout } = await run(['good.yaml', '--format', 'sarif']);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [{ invocations: [{ executionSuccessful: true }], results: [] }],
    });
  });
});

interface SarifRun {
  readonly tool: {
    readonly driver: {
      readonly rules: readonly {
        readonly id: string;
        readonly help: { readonly text: string };
        readonly defaultConfiguration: { readonly level: string };
      }[];
    };
  };
  readonly originalUriBaseIds: Readonly<Record<string, { readonly uri: string }>>;
  readonly results: readonly {
    readonly ruleIndex: number;
    readonly fixes?: readonly { readonly artifactChanges: readonly { readonly replacements: unknown }[] }[];
  }[];
}
