import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, hoverTexts, problems, show } from '../documents.ts';
import { definitionsOf, effectiveDocument, lineWith, shows } from './places.ts';

const scheme = 'agentjet-memory';

/** Files that are on no disk. */
class MemoryFiles implements vscode.FileSystemProvider {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #texts: Map<string, string>;

  constructor(texts: Readonly<Record<string, string>>) {
    this.#texts = new Map(Object.entries(texts));
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const text = this.#texts.get(uri.path);
    const times = { ctime: 0, mtime: 1 };
    if (text !== undefined) return { type: vscode.FileType.File, size: text.length, ...times };
    if (this.readDirectory(uri).length === 0) throw vscode.FileSystemError.FileNotFound(uri);
    return { type: vscode.FileType.Directory, size: 0, ...times };
  }

  readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    const folder = uri.path.endsWith('/') ? uri.path : `${uri.path}/`;
    const below = [...this.#texts.keys()].filter((path) => path.startsWith(folder));
    const names = new Set(below.map((path) => path.slice(folder.length).split('/')[0] ?? ''));
    return [...names].map((name) => [
      name,
      this.#texts.has(folder + name) ? vscode.FileType.File : vscode.FileType.Directory,
    ]);
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const text = this.#texts.get(uri.path);
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return new TextEncoder().encode(text);
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    this.#texts.set(uri.path, new TextDecoder().decode(content));
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  createDirectory(): void {
    return;
  }

  delete(uri: vscode.Uri): void {
    this.#texts.delete(uri.path);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

const config = `ajet:
  project_name: virtual
  rollout:
    user_workflow: agents/far.py->FarWorkflow
    num_repaet: 4
hydra:
  searchpath:
    - file://defaults
defaults:
  - far
  - _self_
`;

describe('a config that is on no disk', () => {
  let provider: vscode.Disposable;

  before(() => {
    const files = new MemoryFiles({
      '/far/exp.yaml': config,
      '/far/defaults/far.yaml': 'ajet:\n  rollout:\n    temperature: 0.375\n',
      '/far/agents/far.py': 'class FarWorkflow(Workflow):\n    pass\n',
    });
    provider = vscode.workspace.registerFileSystemProvider(scheme, files);
  });

  after(() => {
    provider.dispose();
  });
  afterEach(closeAll);

  it('is checked against the files beside it', async () => {
    const document = await show(far('exp.yaml'));
    const found = await problems(document.uri, 'the slip is found', (now) =>
      now.some(({ message }) => message.includes('num_repaet')),
    );
    assert.ok(!found.some(({ message }) => /FarWorkflow|far\.py|searchpath/.test(message)));
    assert.match((await hoverTexts(document, 'far\n')).join(), /`defaults\/far\.yaml`/);
  });

  it('leads to the files beside it', async () => {
    const document = await show(far('exp.yaml'));
    const targets = async (place: string): Promise<string[]> =>
      (await definitionsOf(document, place)).map(({ uri }) => uri.toString());
    assert.deepEqual(await targets('Far|Workflow'), [far('agents/far.py').toString()]);
    assert.deepEqual(await targets('- f|ar'), [far('defaults/far.yaml').toString()]);
  });

  it('has an effective config', async () => {
    await show(far('exp.yaml'));
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig');
    const document = effectiveDocument('exp (effective)');
    await shows(document, /temperature/);
    assert.match(lineWith(document, 'temperature: 0.375'), /# defaults\/far\.yaml:3$/);
  });
});

function far(name: string): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/far/${name}` });
}
