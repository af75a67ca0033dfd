import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { RunCatalog } from './runCatalog.ts';
import {
  groupAccessibleName,
  isTraining,
  runAccessibleName,
  runDescription,
  runLabel,
  runTooltip,
  stateIcon,
  trainingDescription,
} from './runText.ts';
import { commands } from '../../../base/core/ids.ts';
import { runTree, type GroupNode, type RunNode, type TreeNode } from './runTree.ts';
import { workspaceRoots } from './workspaceRuns.ts';

/** Provides the rows of the view. Nothing is read before the first row is requested. */
export class RunsProvider implements vscode.TreeDataProvider<TreeNode>, Disposable {
  readonly #catalog: RunCatalog;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<TreeNode[] | undefined>());
  /** The nodes that VS Code holds, by id. It updates rows by these objects. */
  #given: ReadonlyMap<string, TreeNode> = new Map();
  #current: ReadonlyMap<string, TreeNode> = new Map();

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(catalog: RunCatalog) {
    this.#catalog = catalog;
    this.#store.add(catalog.onChanged(() => this.#follow()));
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (node?.kind === 'run') return [];
    if (node) return [...node.children];
    await this.#catalog.load();
    const tree = this.#tree();
    this.#given = this.#current = byId(tree);
    return [...tree];
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const current = this.#current.get(node.id) ?? node;
    if (current.kind === 'run') return runItem(current);
    return current.kind === 'training' ? trainingItem(current) : groupItem(current);
  }

  /** VS Code calls this on hover, so that long texts are not transferred for each row. */
  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    const current = this.#current.get(node.id) ?? node;
    if (current.kind === 'run') item.tooltip = new vscode.MarkdownString(runTooltip(current.run));
    return item;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #tree(): readonly TreeNode[] {
    return runTree(this.#catalog.state().runs, workspaceRoots());
  }

  /** If the rows keep their positions, only changed rows are redrawn: an active run changes twice a second. */
  #follow(): void {
    const before = this.#current;
    this.#current = byId(this.#tree());
    const sameRows = [...before.keys()].join('\n') === [...this.#current.keys()].join('\n');
    if (!sameRows) {
      this.#changed.fire(undefined);
      return;
    }
    const changed = [...this.#given.values()].filter((node) =>
      differ(before.get(node.id), this.#current.get(node.id)),
    );
    if (changed.length > 0) this.#changed.fire(changed);
  }
}

/** Returns all nodes of a tree by id, in the order of its rows. */
function byId(tree: readonly TreeNode[]): Map<string, TreeNode> {
  const nodes = tree.flatMap((node) =>
    node.kind === 'run' ? [node] : [node, ...byId(node.children).values()],
  );
  return new Map(nodes.map((node) => [node.id, node]));
}

function differ(before: TreeNode | undefined, now: TreeNode | undefined): boolean {
  if (before?.kind === 'training' && now?.kind === 'training') {
    return before.children.some((child, index) => differ(child, now.children[index]));
  }
  if (before?.kind !== 'run' || now?.kind !== 'run') return false;
  return before.run.summary !== now.run.summary || before.run.file !== now.run.file;
}

function runItem(node: RunNode): vscode.TreeItem {
  const { run } = node;
  const { icon, color } = stateIcon(run);
  const item = new vscode.TreeItem(runLabel(run));
  item.id = node.id;
  item.description = runDescription(run);
  item.accessibilityInformation = { label: runAccessibleName(run) };
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.contextValue = contextOf(node);
  // Uses VS Code's own command, which behaves as in the Explorer: one click keeps the focus in the tree, a second pins
  // the editor.
  item.command = {
    command: 'vscode.open',
    title: vscode.l10n.t('Open Run'),
    arguments: [vscode.Uri.file(run.file.trace)],
  };
  return item;
}

/** Returns words that the `when` clauses of menus test. */
function contextOf({ run, inWorkspace }: RunNode): string {
  const words = ['run', run.summary.state];
  if (inWorkspace) words.push('inWorkspace');
  if (run.summary.config !== '') words.push('hasConfig');
  if (run.file.ownFolder) words.push('ownFolder');
  return words.join(' ');
}

function trainingItem(node: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = node.id;
  item.description = trainingDescription(node);
  item.iconPath = new vscode.ThemeIcon(isTraining(node) ? 'loading~spin' : 'graph-line');
  item.contextValue = 'training';
  item.accessibilityInformation = { label: `${groupAccessibleName(node)}, ${item.description}` };
  item.tooltip = node.path;
  const title = vscode.l10n.t('Open Training Run');
  item.command = { command: commands.openTrainingFolder, title, arguments: [node] };
  return item;
}

function groupItem(node: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = node.id;
  item.description = node.description;
  item.iconPath = new vscode.ThemeIcon(node.kind === 'folder' ? 'root-folder' : 'settings-gear');
  item.contextValue = node.kind;
  item.accessibilityInformation = { label: groupAccessibleName(node) };
  if (node.path !== '') item.tooltip = node.path;
  return item;
}
