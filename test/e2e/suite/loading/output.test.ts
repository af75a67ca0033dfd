/** What a workflow prints while it is debugged: each thing once, whole, whatever it is. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { backboneProcesses, breakAt, Conversation } from '../debugging.ts';
import { lineWith, mark, writeRun } from '../runs.ts';

const file = 'module/prints.ts';

describe('output', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  async function run(body: string, attributes: object = {}, noDebug = false): Promise<void> {
    const config = await writeRun(file, `${body}\n    return { reward: 1 };`);
    await debug.launch({ config, ...attributes }, noDebug);
    await debug.ended();
    assert.match(debug.output(), /reward 1/);
  }

  const count = (text: string): number => debug.output().split(text).length - 1;

  const printing = `    console.log('a log');
    console.error('an error');
    console.warn('a warning');
    process.stdout.write('unfinished');
    process.stdout.write(' line\\n');
    process.stderr.write('Debugger attached to nothing\\n');
    console.log({ name: 'object', deep: { list: [1, 2] } });
    console.log('größe 数 🙂');
    console.log('last, without an end');
    process.stdout.write('end');`;

  const texts = [
    'a log\n',
    'an error\n',
    'a warning\n',
    'unfinished line\n',
    'Debugger attached to nothing\n',
    'größe 数 🙂\n',
  ];

  for (const noDebug of [false, true]) {
    it(`appears once, ${noDebug ? 'without' : 'with'} a debugger`, async () => {
      await run(printing, {}, noDebug);
      for (const text of texts) assert.equal(count(text), 1, text);
      assert.equal(count("{ name: 'object', deep: { list: [ 1, 2 ] } }"), 1);
      assert.equal(count('last, without an end\nend'), 1);
    });
  }

  it('of standard error is told from standard output', async () => {
    await run(printing);
    const errors = debug
      .events('output')
      .map((event) => event.body as DebugProtocol.OutputEvent['body'])
      .filter(({ category }) => category === 'stderr')
      .map(({ output }) => output)
      .join('');
    assert.match(errors, /an error\na warning\nDebugger attached to nothing\n/);
    assert.doesNotMatch(errors, /a log/);
  });

  it('of a logpoint appears once, among the rest', async () => {
    const config = await writeRun(
      file,
      `    const one = { two: 2 };\n    one.two++; ${mark}\n    return { reward: 1 };`,
    );
    breakAt(file, await lineWith(file, mark), { log: 'logged {one.two} of {one}' });
    await debug.launch({ config });
    await debug.ended();
    assert.equal(count('logged 2 of '), 1, debug.output());
    assert.equal(debug.events('stopped').length, 0);
  });

  it('of calls appears once when the JavaScript debugger reports it', async () => {
    await run(printing, { jsDebug: { outputCapture: 'console' } });
    for (const text of ['a log', 'an error', 'a warning', 'größe 数 🙂']) assert.equal(count(text), 1, text);
  });

  it('of bytes that are no text does no harm', async () => {
    await run(`    process.stdout.write(Buffer.from(Array.from({ length: 4096 }, (_, byte) => byte % 256)));
    process.stdout.write('\\nafter the bytes\\n');`);
    assert.equal(count('\nafter the bytes\n'), 1);
  });

  it('of five thousand lines is whole', async () => {
    await run(`    const line = 'x'.repeat(99);
    for (let index = 0; index < 5_000; index++) console.log(line);
    console.log('that was all');`);
    assert.equal(count('x'.repeat(99)), 5_000);
    assert.equal(count('that was all\n'), 1);
  });
});
