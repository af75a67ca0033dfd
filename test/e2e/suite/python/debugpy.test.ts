/** An interpreter without debugpy: it is offered, installed apart, and the launch goes on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { breakAt, Conversation, fileUri, lineOf } from '../debugging.ts';

/** Makes a wheel of the debugpy that an interpreter has: `FOLDER` is where. */
const makeWheel = `
import importlib.metadata, os, sys, zipfile
found = importlib.metadata.distribution("debugpy")
with zipfile.ZipFile(os.path.join(sys.argv[1], f"debugpy-{found.version}-py3-none-any.whl"), "w") as wheel:
    for file in found.files:
        if file.parts[0].startswith("debugpy") and "__pycache__" not in file.parts:
            wheel.write(file.locate(), str(file))
`;

describe('an interpreter without debugpy', () => {
  let debug: Conversation;
  let folder: string;

  before(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'agentjet-python-')));
    mkdirSync(path.join(folder, 'wheels'));
    const python = process.env['AGENTJET_E2E_PYTHON'] ?? '';
    execFileSync(python, ['-c', makeWheel, path.join(folder, 'wheels')]);
    linkWithoutDebugpy(python, path.join(folder, 'env'));
    // Nothing is fetched: the index is a folder.
    Object.assign(process.env, { PIP_NO_INDEX: '1', PIP_FIND_LINKS: path.join(folder, 'wheels') });
  });

  after(() => {
    delete process.env['PIP_NO_INDEX'];
    delete process.env['PIP_FIND_LINKS'];
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(() => debug.dispose());

  it('gets it on request, in a folder of the extension’s, and the launch goes on', async function () {
    this.timeout(180_000); // it is installed from a registry
    const environment = path.join(folder, 'env');
    const before = readdirSync(environment, { recursive: true }).length;
    const line = await lineOf('agent.py', 'client = tuner.as_raw_openai_sdk_client');
    breakAt('agent.py', line);
    const python = path.join(environment, 'bin/python');
    await vscode.extensions.getExtension('agentjet.agentjet')?.activate();
    // Heard after the extension has shown its message, of which this is "Install debugpy".
    const accepting = vscode.debug.onDidReceiveDebugSessionCustomEvent(({ event }) => {
      if (event === 'agentjet.needsDebugpy') {
        void vscode.commands.executeCommand('notification.acceptPrimaryAction');
      }
    });
    await debug.launch({ config: fileUri('py_math.yaml').fsPath, python, tasks: 1, repeat: 1 });
    await debug.until('it is told', () => debug.output().includes('python/no-debugpy'));
    await debug.until('the launch goes on', () => debug.sessions().length > 1, 120_000);
    accepting.dispose();
    const frame = await debug.stopped();
    assert.deepEqual([frame.file, frame.line], [fileUri('agent.py').fsPath, line + 1]);
    const from = await debug.evaluate(frame, '__import__("debugpy").__file__');
    assert.match(from, /globalStorage.agentjet\.agentjet.debugpy-[\d.]+.py3\.\d+.debugpy/);
    assert.equal(
      readdirSync(environment, { recursive: true }).length,
      before,
      'the environment is as it was',
    );
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward [01]/);
  });
});

/** A virtual environment with all that an interpreter has, but debugpy. */
function linkWithoutDebugpy(python: string, environment: string): void {
  execFileSync(python, ['-m', 'venv', '--without-pip', environment]);
  const packages = (executable: string): string =>
    execFileSync(executable, ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])'])
      .toString()
      .trim();
  const [from, to] = [packages(python), packages(path.join(environment, 'bin/python'))];
  for (const name of readdirSync(from).filter((one) => !one.startsWith('debugpy'))) {
    symlinkSync(path.join(from, name), path.join(to, name));
  }
}
