/** Arranges runs in a tree by workspace folder and by config. A level with only one entry is omitted. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { groupBy } from '../../../tracking/core/groupBy.ts';
import type { Run } from './run.ts';

export interface Root {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

export interface RunNode {
  readonly kind: 'run';
  readonly id: string;
  readonly run: Run;
  /** True if it is in a workspace folder, where the Explorer can show it. */
  readonly inWorkspace: boolean;
}

export interface GroupNode {
  /** `training`: the steps and validations of a training. */
  readonly kind: 'folder' | 'config' | 'training';
  readonly id: string;
  readonly label: string;
  /** The location of the config, relative to its workspace folder; empty for a folder. */
  readonly description: string;
  /** Absolute path of the folder, config or training; empty for runs outside the workspace. */
  readonly path: string;
  readonly children: readonly TreeNode[];
}

export type TreeNode = GroupNode | RunNode;

/** @param runs newest first; every level keeps this order */
export function runTree(runs: readonly Run[], roots: readonly Root[]): readonly TreeNode[] {
  const byRoot = groupBy(runs, (run) => rootOf(run.file.trace, roots));
  if (roots.length < 2 || byRoot.size < 2) {
    return byConfigs(runs, roots);
  }
  return [...byRoot].map(([root, own]) => ({
    kind: 'folder',
    id: `folder:${root?.path ?? ''}`,
    label: root?.name ?? l10n.t('Outside the workspace'),
    description: '',
    path: root?.path ?? '',
    children: byConfigs(own, roots),
  }));
}

/** Returns the innermost workspace folder that contains a file. */
export function rootOf(file: string, roots: readonly Root[]): Root | undefined {
  const outer = roots.filter((root) => contains(root.path, file));
  return outer.toSorted((a, b) => b.path.length - a.path.length)[0];
}

export function contains(outer: string, inner: string): boolean {
  const relative = path.relative(outer, inner);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/** Groups runs by config if there are several. Traces that cannot be read name no config and follow the groups. */
function byConfigs(runs: readonly Run[], roots: readonly Root[]): readonly TreeNode[] {
  const byConfig = groupBy(runs, (run) => run.summary.config);
  const nameless = byConfig.get('') ?? [];
  byConfig.delete('');
  if (byConfig.size < 2) return byTrainings(runs, roots);
  return [
    ...[...byConfig].map(([config, own]) => configNode(config, own, roots)),
    ...byTrainings(nameless, roots),
  ];
}

/** Makes one entry of the traces of a training, at the position of the newest. */
function byTrainings(runs: readonly Run[], roots: readonly Root[]): readonly TreeNode[] {
  const entries = groupBy(runs, ({ file }) => file.training ?? file.trace);
  return [...entries.values()].flatMap((own): readonly TreeNode[] => {
    const training = own[0]?.file.training;
    const nodes = own.map((run) => runNode(run, roots));
    return training === undefined ? nodes : [trainingNode(training, nodes)];
  });
}

function trainingNode(folder: string, children: readonly RunNode[]): GroupNode {
  const label = path.basename(folder);
  return { kind: 'training', id: `training:${folder}`, label, description: '', path: folder, children };
}

function configNode(config: string, runs: readonly Run[], roots: readonly Root[]): GroupNode {
  const folder = path.dirname(config);
  const root = rootOf(config, roots);
  // Runs of one config may be in several workspace folders. Each has a separate group.
  const place = rootOf(runs[0]?.file.trace ?? '', roots)?.path ?? '';
  return {
    kind: 'config',
    id: `config:${place}:${config}`,
    label: path.basename(config),
    description: root ? path.relative(root.path, folder) : folder,
    path: config,
    children: byTrainings(runs, roots),
  };
}

function runNode(run: Run, roots: readonly Root[]): RunNode {
  const { trace } = run.file;
  return { kind: 'run', id: `run:${trace}`, run, inWorkspace: rootOf(trace, roots) !== undefined };
}
