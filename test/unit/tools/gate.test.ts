import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Project } from './project.ts';

const gate = 'test/tools/gate.mjs';
let project: Project;

/** A vitest that reports these counts, and what it found in its files, to the file it is told. */
const vitest = (
  passed: number,
  failed: number,
  skipped: number,
  code: number,
  testResults: readonly object[] = [],
) => `
for argument in "$@"; do
  case "$argument" in --outputFile.json=*) file="\${argument#--outputFile.json=}";; esac
done
cat > "$file" <<'END'
${JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0, testResults })}
END
echo "deep=$AGENTJET_DEEP"
exit ${code}`;

const saying = (text: string, script: string) => `echo "${text}"\n${script}`;

beforeEach(async () => {
  project = await Project.create();
  await project.installNode();
  for (const tool of ['oxlint', 'oxfmt', 'depcruise']) {
    await project.program(`node_modules/.bin/${tool}`, 'echo fine');
  }
  await project.program('node_modules/.bin/vitest', vitest(5, 0, 0, 0));
  await project.write('test/tools/bootstrap.mjs', '');
  await project.write('test/tools/prose.ts', '');
  await project.write('node_modules/typescript7/bin/tsc', '');
  await project.write(
    'test/tools/hostSuite.mjs',
    `import fs from 'node:fs';
     fs.mkdirSync('.artifacts/e2e', { recursive: true });
     const name = process.argv[process.argv.indexOf('--name') + 1];
     fs.writeFileSync('.artifacts/e2e/' + name + '-total.json', JSON.stringify({ passed: 3, failed: 0 }));`,
  );
});

afterEach(async () => {
  await project.remove();
});

function lastLine(output: string): string | undefined {
  return output.trimEnd().split('\n').at(-1);
}

describe('the gate', () => {
  it('adds up the tests of every suite', async () => {
    const { code, output } = await project.node(gate);
    expect(code).toBe(0);
    // Six checks of one each, four runs of vitest, two of the editor's extension host.
    expect(lastLine(output)).toBe('32 passed, 0 failed');
  });

  it('runs the other suites when one fails, and shows what it said', async () => {
    await project.program('node_modules/.bin/oxlint', 'echo "rule broken"; exit 1');
    const { code, output } = await project.node(gate);
    expect(code).toBe(1);
    expect(output).toContain('rule broken');
    expect(lastLine(output)).toBe('31 passed, 1 failed');
  });

  it('counts failed tests, and skipped ones as failed', async () => {
    await project.program('node_modules/.bin/vitest', vitest(4, 1, 2, 1));
    const { code, output } = await project.node(gate, ['--only', 'unit']);
    expect(code).toBe(1);
    expect(lastLine(output)).toBe('4 passed, 3 failed');
  });

  it('tells which tests failed and why, and not what came after', async () => {
    const trace = Array.from({ length: 99 }, (_, line) => `at line ${line}`).join('\n');
    const assertionResults = [
      { fullName: 'sums adds', status: 'failed', failureMessages: [`expected 3 to be 4\n${trace}`] },
      { fullName: 'sums subtracts', status: 'passed', failureMessages: [] },
    ];
    const files = [
      { name: '/project/sums.test.ts', status: 'failed', message: '', assertionResults },
      { name: '/project/broken.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ];
    await project.program('node_modules/.bin/vitest', saying('the end', vitest(1, 1, 0, 1, files)));
    const { output } = await project.node(gate, ['--only', 'unit']);
    expect(output).toContain('  | FAIL sums.test.ts > sums adds\n  |   expected 3 to be 4\n');
    expect(output).toContain('  | FAIL broken.test.ts\n  |   no such module\n');
    expect(output).toMatch(/\| The whole log: .*unit\.log\n/);
    expect(output).not.toMatch(/at line 98|subtracts|the end/);
  });

  it('shows the end of the log too when the results do not tell why a test failed', async () => {
    const assertionResults = [{ fullName: 'sums divides', status: 'skipped', failureMessages: [] }];
    const files = [{ name: '/project/sums.test.ts', status: 'failed', message: '', assertionResults }];
    await project.program('node_modules/.bin/vitest', saying('the hook threw', vitest(1, 0, 1, 1, files)));
    const { output } = await project.node(gate, ['--only', 'unit']);
    expect(output).toContain('  | FAIL sums.test.ts > sums divides (skipped)\n');
    expect(output).toContain('  | the hook threw\n');
  });

  it('names only as many failed tests as a person reads', async () => {
    const assertionResults = Array.from({ length: 50 }, (_, index) => ({
      fullName: `case ${index}`,
      status: 'failed',
      failureMessages: ['x'.repeat(5000)],
    }));
    const files = [{ name: 'all.test.ts', status: 'failed', message: '', assertionResults }];
    await project.program('node_modules/.bin/vitest', vitest(1, 50, 0, 1, files));
    const { output } = await project.node(gate, ['--only', 'unit']);
    expect(output).toContain('  | and 30 more\n');
    expect(output).not.toContain('x'.repeat(2001));
    expect(lastLine(output)).toBe('1 passed, 50 failed');
  });

  it('tells which tests of an extension host failed', async () => {
    const failures = [{ title: 'loading > output is whole', error: 'AssertionError: 1 line of 2' }];
    await project.write(
      'test/tools/hostSuite.mjs',
      `import fs from 'node:fs';
       fs.mkdirSync('.artifacts/e2e', { recursive: true });
       fs.writeFileSync('.artifacts/e2e/e2e-host-total.json', '${JSON.stringify({ passed: 2, failed: 1, failures })}');
       process.exitCode = 1;`,
    );
    const { output } = await project.node(gate, ['--only', 'e2e-host']);
    expect(output).toContain('  | FAIL loading > output is whole\n  |   AssertionError: 1 line of 2\n');
    expect(lastLine(output)).toBe('2 passed, 1 failed');
  });

  it('shows the end of the log when no failed test is known', async () => {
    await project.program('node_modules/.bin/vitest', saying('Unhandled error', vitest(5, 0, 0, 1)));
    const { output } = await project.node(gate, ['--only', 'unit']);
    expect(output).toContain('  | Unhandled error\n');
    expect(lastLine(output)).toBe('5 passed, 1 failed');
  });

  it('counts a runner that fails without a failed test as a failure', async () => {
    await project.program('node_modules/.bin/vitest', vitest(5, 0, 0, 1));
    const { output } = await project.node(gate, ['--only', 'unit']);
    expect(lastLine(output)).toBe('5 passed, 1 failed');
  });

  it('counts a runner that leaves no results as a failure, whatever an earlier run left', async () => {
    await project.node(gate, ['--only', 'unit']);
    await project.program('node_modules/.bin/vitest', 'exit 0');
    const { code, output } = await project.node(gate, ['--only', 'unit']);
    expect(code).toBe(1);
    expect(lastLine(output)).toBe('0 passed, 1 failed');
  });

  it('does not try what needs a build that failed', async () => {
    await project.write('test/tools/bootstrap.mjs', 'process.exit(1);');
    const { output } = await project.node(gate, ['--only', 'build,e2e-host,e2e-ui']);
    expect(output).toContain('e2e-ui     NOT RUN: build failed');
    expect(lastLine(output)).toBe('0 passed, 3 failed');
  });

  it('tells the deep suites that they are', async () => {
    await project.program(
      'node_modules/.bin/vitest',
      `test "$AGENTJET_DEEP" = 1 || exit 1\n${vitest(1, 0, 0, 0)}`,
    );
    const { code, output } = await project.node(gate, ['--deep']);
    expect(code).toBe(0);
    expect(lastLine(output)).toBe('9 passed, 0 failed');
  });

  it('refuses a suite it does not know', async () => {
    const { code, output } = await project.node(gate, ['--only', 'unitt']);
    expect(code).toBe(1);
    expect(output).toContain('No suite "unitt"');
  });
});

describe('.ci/run', () => {
  const npm = (failing: string) => `
case "$*" in
  ${failing}) echo "1 passed, 2 failed"; exit 1;;
  test) printf '4 passed, 9 failed\\n12 passed, 0 failed\\n';;
  "run test:deep") echo "3 passed, 0 failed";;
  "run package") echo "packaged";;
esac`;

  it('ends with the sum of its three commands', async () => {
    await project.program('bin/npm', npm('nothing'));
    const { code, output } = await project.run(project.path('.ci/run'), []);
    expect(code).toBe(0);
    expect(output.match(/^npm .*: \d+\.\d minutes$/gm)).toHaveLength(3);
    expect(lastLine(output)).toBe('16 passed, 0 failed');
  });

  it('goes on after a failure and reports it', async () => {
    await project.program('bin/npm', npm('test'));
    const { code, output } = await project.run(project.path('.ci/run'), []);
    expect(code).toBe(1);
    expect(lastLine(output)).toBe('5 passed, 2 failed');
  });

  it('counts a command that fails without a count', async () => {
    await project.program('bin/npm', 'exit 1');
    const { code, output } = await project.run(project.path('.ci/run'), []);
    expect(code).toBe(1);
    expect(lastLine(output)).toBe('0 passed, 3 failed');
  });
});
