/** `agentjet check` as the built program: what it prints and where, and its exit codes. */
import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { Ajv } from 'ajv';
import { describe, expect, inject, it } from 'vitest';
import { runCli, startCli } from '../harness/cli.ts';
import { emptyProject, smallProject, type Project } from '../harness/project.ts';
import { sarifLog } from '../harness/sarifLog.ts';

const wrong = 'ajet:\n  rollout: {num_repeat: "4"}\n';
const slip = 'ajet:\n  rollout:\n    num_repeats: 4\n';
const foreign = 'services:\n  web: {image: x}\n';

async function projectOf(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await emptyProject();
  await project.write(files);
  return project;
}

describe('agentjet check', () => {
  it('tells findings as compilers do', async () => {
    const project = await projectOf({
      'wrong.yaml': wrong,
      'conf/slip.yml': slip,
      'conf/other.yaml': foreign,
    });
    const { code, stdout, stderr } = await runCli(project, ['check', 'wrong.yaml', 'conf']);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^wrong\.yaml:2:25 error wrong-type `num_repeat` must be an integer/),
      expect.stringMatching(/^conf\/slip\.yml:3:5 warning unknown-key .* Did you mean `num_repeat`\?$/),
      '1 error, 1 warning in 2 configs; 1 other file not checked',
      '',
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });

  it('takes the old id of a rule, with a warning', async () => {
    const project = await projectOf({ 'old.yaml': 'astuner:\n  project_name: maths\n' });
    const { stdout, stderr } = await runCli(project, ['check', 'old.yaml', '--rule', 'old-dialect=error']);
    expect(stdout).toContain('error legacy-astuner-config');
    expect(stderr).toContain('"old-dialect" is now "legacy-astuner-config"');
  });

  it('gives one JSON document on stdout, of the agreed form and nothing else', async () => {
    const project = await projectOf({ 'wrong.yaml': wrong, 'other.yaml': foreign });
    const args = ['check', 'wrong.yaml', 'other.yaml', '--format', 'json'];
    const { code, stdout, stderr } = await runCli(project, args);
    expect(JSON.parse(stdout)).toEqual([
      {
        file: 'wrong.yaml',
        dialect: 'ajet',
        diagnostics: [
          {
            line: 2,
            column: 25,
            endLine: 2,
            endColumn: 28,
            severity: 'error',
            rule: 'wrong-type',
            message: expect.stringContaining('`num_repeat`') as string,
            fixes: [{ title: expect.any(String) as string, edits: [{ start: 30, end: 33, newText: '4' }] }],
          },
        ],
      },
      { file: 'other.yaml', dialect: null, diagnostics: [] },
    ]);
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`);
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });

  it('gives a SARIF log whose every part is one of SARIF 2.1.0', async () => {
    const project = await projectOf({ 'conf/wrong.yaml': wrong, 'conf/slip.yaml': slip });
    const args = ['check', 'conf', 'gone.yaml', '--format', 'sarif'];
    const { code, stdout } = await runCli(project, args);
    const log = JSON.parse(stdout) as { runs: readonly { results: readonly { ruleId: string }[] }[] };
    const validate = new Ajv({ allErrors: true }).compile(sarifLog);
    validate(log);
    expect(validate.errors ?? []).toEqual([]);
    const { results = [] } = log.runs[0] ?? {};
    expect(results.map(({ ruleId }) => ruleId)).toEqual(['unknown-key', 'wrong-type']);
    expect(code).toBe(2);
  });

  it('finds nothing wrong with a config that runs, its workflow included', async () => {
    const { code, stdout } = await runCli(await smallProject(), ['check', 'small.yaml']);
    expect(stdout).not.toContain('locator-target');
    expect(stdout).toMatch(/^0 errors, /m);
    expect(code).toBe(0);
  });

  it('reads what is piped in', async () => {
    const project = await smallProject();
    const piped = 'ajet:\n  rollout:\n    user_workflow: workflow.ts->Other\n';
    const { code, stdout } = await runCli(project, ['check', '-'], { input: piped });
    expect(stdout).toMatch(/^-:3:20 error locator-target .*Did you mean `Small`\?/);
    expect(code).toBe(1);
  });

  it('heeds rules and comments', async () => {
    const project = await projectOf({
      'slip.yaml': slip,
      'quiet.yaml': slip.replace('4\n', '4 # agentjet-ignore unknown-key\n'),
      'all.yaml': `# agentjet-ignore-file unknown-key\n${slip}`,
    });
    expect(await runCli(project, ['check', 'quiet.yaml', 'all.yaml'])).toMatchObject({
      stdout: '0 errors, 0 warnings in 2 configs\n',
      code: 0,
    });
    expect(await runCli(project, ['check', 'slip.yaml'])).toMatchObject({ code: 0 });
    expect(await runCli(project, ['check', 'slip.yaml', '--rule', 'unknown-key=error'])).toMatchObject({
      code: 1,
    });
    expect(await runCli(project, ['check', 'slip.yaml', '--rule', 'unknown-key=off'])).toMatchObject({
      stdout: '0 errors, 0 warnings in 1 config\n',
    });
  });

  it('reads patterns itself, where no shell does', async () => {
    const project = await projectOf({ 'a/x.yaml': wrong, 'a/b/y.yaml': wrong, 'a/b/z.yaml': foreign });
    const { stdout, code } = await runCli(project, ['check', 'a/**/{x,y}.yaml']);
    expect(stdout.match(/^a\/.*?:/gm)).toEqual(['a/b/y.yaml:', 'a/x.yaml:']);
    expect(code).toBe(1);
    const none = await runCli(project, ['check', 'b/*.yaml']);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('b/*.yaml: No YAML file matches the pattern. [cli/no-file]');
  });

  it('ends with 2 where a file cannot be had, and checks the others', async () => {
    const project = await projectOf({ 'wrong.yaml': wrong, 'conf/empty.txt': '' });
    await mkdir(project.path('more'));
    await symlink(project.path('conf'), project.path('more/link.yaml'));
    const args = ['check', 'gone.yaml', 'conf', 'more', 'wrong.yaml'];
    const { code, stdout, stderr } = await runCli(project, args);
    expect(stdout).toContain('wrong.yaml:2:25 error');
    expect(stderr).toContain('agentjet: gone.yaml: The file or folder does not exist. [cli/no-file]');
    expect(stderr).toMatch(
      /^agentjet: more\/link\.yaml: It cannot be read: .*directory.* \[cli\/unreadable\]$/m,
    );
    expect(stderr).toContain('agentjet: conf: The folder contains no YAML files. [cli/no-file]');
    expect(code).toBe(2);
    const json = await runCli(project, ['check', 'gone.yaml', '--format', 'json']);
    expect(json).toMatchObject({ stdout: '[]\n', code: 2 });
  });

  it.each([
    [[], 'agentjet check needs <files>.'],
    [['x.yaml', '--format', 'xml'], '--format cannot be xml.'],
    [
      ['x.yaml', '--rule', 'unknown-kez=off'],
      'the rule "unknown-kez" does not exist. Did you mean unknown-key?',
    ],
    [['x.yaml', '--rule', 'unknown-key'], '--rule unknown-key has no valid severity for unknown-key.'],
    [['x.yaml', '--fix'], 'For the options, see agentjet check --help.'],
  ])('refuses %j before it reads anything', async (args, message) => {
    const { code, stdout, stderr } = await runCli(await emptyProject(), ['check', ...args]);
    expect(stderr).toContain(message);
    expect(stderr).toContain('[cli/usage]');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it.each([['check'], ['config'], ['schema']])('explains itself: agentjet %s --help', async (name) => {
    const { code, stdout, stderr } = await runCli(await emptyProject(), [name, '--help']);
    expect(stdout).toMatch(new RegExp(`^Usage: agentjet ${name} [^]*Exit code: 0`));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});

describe('agentjet check in a terminal', () => {
  const script = '/usr/bin/script';
  const shown = (project: Project, env: Readonly<Record<string, string>>): string => {
    const command = `'${process.execPath}' '${path.join(inject('dist'), 'cli.mjs')}' check wrong.yaml; true`;
    const options = {
      cwd: project.folder,
      encoding: 'utf8',
      env: { TERM: 'xterm-256color', ...env },
    } as const;
    return execFileSync(script, ['-qec', command, '/dev/null'], options);
  };
  const hasTerminal = ((): boolean => {
    try {
      return execFileSync(script, ['-qec', 'true', '/dev/null'], { encoding: 'utf8' }) === '';
    } catch {
      return false; // no such program, or another one of that name
    }
  })();

  it.runIf(hasTerminal)('has colours, except where NO_COLOR is set', async () => {
    const project = await projectOf({ 'wrong.yaml': wrong });
    expect(shown(project, {})).toContain('\u001b[31merror\u001b[39m');
    expect(shown(project, { NO_COLOR: '1' })).toContain(' error wrong-type');
  });

  it('has none in a pipe', async () => {
    const { stdout } = await runCli(await projectOf({ 'wrong.yaml': wrong }), ['check', 'wrong.yaml']);
    expect(stdout).not.toContain('\u001b');
  });
});

/** Many configs over defaults of their own, each with one slip. */
async function manyConfigs(count: number): Promise<Project> {
  const config = (index: number): string =>
    `ajet:\n  project_name: p${index}\n  rollout:\n    num_repeats: 4\n    user_workflow: workflow.ts->Small\nhydra:\n  searchpath: [file://defaults]\ndefaults: [base, _self_]\n`;
  const filler = Array.from({ length: 300 }, (_, index) => `  key_${index}: {a: 1, b: [1, 2, 3]}`).join('\n');
  const files = Array.from({ length: count }, (_, index) => [`conf/c${index}.yaml`, config(index)] as const);
  return smallProject({ ...Object.fromEntries(files), 'defaults/base.yaml': `ajet:\n${filler}\n` });
}

describe('agentjet check of a lot', () => {
  it('takes 500 configs in little memory', async () => {
    const project = await manyConfigs(500);
    const { code, stdout, stderr } = await runCli(project, ['check', 'conf'], {
      env: { NODE_OPTIONS: '--max-old-space-size=96' },
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^0 errors, \d+ warnings.* in 500 configs$/m);
    expect(stdout.match(/unknown-key `num_repeats`/g)).toHaveLength(500);
    expect(code).toBe(0);
  });

  it.each([
    ['in quotes', `"${'x y '.repeat(1_250_000)}"`, /^0 errors/m],
    ['of brackets', '[1,'.repeat(1_700_000), /nested too deeply/],
    [
      'of interpolations',
      `{${Array.from({ length: 150_000 }, (_, at) => `k${at}: "\${ajet.b}"`).join(', ')}}`,
      /Interpolations/,
    ],
  ])('takes a line of 5 MB: %s', async (_, text, told) => {
    const project = await projectOf({ 'big.yaml': `ajet:\n  b: x\n  project_name: ${text}\n` });
    const { stdout, stderr } = await runCli(project, ['check', 'big.yaml'], {
      env: { NODE_OPTIONS: '--max-old-space-size=1024' },
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(told);
    expect(stdout.length).toBeLessThan(10_000);
  });

  it('says nothing when its reader goes early', async () => {
    const run = startCli(await manyConfigs(200), ['check', 'conf', '--format', 'json']);
    run.child.stdout.once('data', () => run.child.stdout.destroy());
    const { code, signal, stderr } = await run.exited;
    expect(stderr).toBe('');
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });

  it('ends at once on Ctrl-C, with what it has told so far', async () => {
    const run = startCli(await manyConfigs(500), ['check', 'conf', '-'], { input: null });
    await run.wrote(/unknown-key/);
    run.child.kill('SIGINT');
    const { signal, stdout, stderr } = await run.exited;
    expect(signal).toBe('SIGINT');
    expect(stdout).not.toContain('500 configs');
    expect(stderr).toBe('');
  });
});
