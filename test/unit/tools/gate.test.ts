import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Project } from './project.ts';

const gate = 'test/tools/gate.mjs';
let project: Project;

/** A vitest that reports these counts to the file it is told. */
const vitest = (passed: number, failed: number, skipped: number, code: number) => `
for argument in "$@"; do
  case "$argument" in --outputFile.json=*) file="\${argument#--outputFile.json=}";; esac
done
echo '{"numPassedTests":${passed},"numFailedTests":${failed},"numPendingTests":${skipped},"numTodoTests":0}' > "$file"
echo "deep=$AGENTJET_DEEP"
exit ${code}`;

beforeEach(async () => {
  project = await Project.create();
  await project.installNode();
  for (const tool of ['tsc', 'eslint', 'prettier', 'depcruise']) {
    await project.program(`node_modules/.bin/${tool}`, 'echo fine');
  }
  await project.program('node_modules/.bin/vitest', vitest(5, 0, 0, 0));
  await project.write('test/tools/bootstrap.mjs', '');
  await project.write(
    'test/tools/hostSuite.mjs',
    `import fs from 'node:fs';
     fs.mkdirSync('.artifacts/e2e', { recursive: true });
     fs.writeFileSync('.artifacts/e2e/host-total.json', JSON.stringify({ passed: 3, failed: 0 }));`,
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
    // Five checks of one each, two runs of vitest, one of the editor's extension host.
    expect(lastLine(output)).toBe('23 passed, 0 failed');
  });

  it('runs the other suites when one fails, and shows what it said', async () => {
    await project.program('node_modules/.bin/eslint', 'echo "rule broken"; exit 1');
    const { code, output } = await project.node(gate);
    expect(code).toBe(1);
    expect(output).toContain('rule broken');
    expect(lastLine(output)).toBe('22 passed, 1 failed');
  });

  it('counts failed tests, and skipped ones as failed', async () => {
    await project.program('node_modules/.bin/vitest', vitest(4, 1, 2, 1));
    const { code, output } = await project.node(gate, ['--only', 'unit']);
    expect(code).toBe(1);
    expect(lastLine(output)).toBe('4 passed, 3 failed');
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
    expect(output).toContain('e2e-ui    NOT RUN: build failed');
    expect(lastLine(output)).toBe('0 passed, 3 failed');
  });

  it('tells the deep suites that they are', async () => {
    await project.program(
      'node_modules/.bin/vitest',
      `test "$AGENTJET_DEEP" = 1 || exit 1\n${vitest(1, 0, 0, 0)}`,
    );
    const { code, output } = await project.node(gate, ['--deep']);
    expect(code).toBe(0);
    expect(lastLine(output)).toBe('2 passed, 0 failed');
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
