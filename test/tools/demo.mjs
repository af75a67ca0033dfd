/** Runs the example of the README with the given options, and says what to do next. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

const config = 'media/examples/math_agent/math_agent.yaml';
const command = ['dist/cli.mjs', '--conf', config, '--backbone', 'debug', ...process.argv.slice(2)];
const run = spawn(process.execPath, command, { stdio: ['inherit', 'pipe', 'inherit'] });
let printed = '';
run.stdout.setEncoding('utf8').on('data', (text) => {
  printed += text;
  process.stdout.write(text);
});
const [code] = await once(run, 'close');
process.exitCode = code ?? 1;
const trace = /^trace: (.+)$/m.exec(printed)?.[1];
if (trace !== undefined)
  console.log(`
Look at the tokens of this run, or debug it in an editor with F5:
  node dist/cli.mjs trace "${trace}"
  npm start`);
