/** The training in which a model learns to reply with digits, started as an editor does. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import type { RehearsalServer } from '../../src/tinker/node/rehearsal/server.ts';
import { RunningAdapter } from '../cli/harness/adapter.ts';

export const languages = ['typescript', 'python'] as const;
export type Language = (typeof languages)[number];

/** The folder in which `npm run train:proof` expects figures, and which makes the tests try more. */
export const proofFolder = process.env['AGENTJET_PROOF'];

export function writeProof(name: string, figures: object): void {
  if (proofFolder !== undefined)
    writeFileSync(path.join(proofFolder, `${name}.json`), JSON.stringify(figures));
}

/** Makes a project for one test. Returns its folder. */
export function digitsProject(
  { model }: RehearsalServer,
  language: Language,
  change: (config: string) => string = (config) => config,
): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-proof-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(path.resolve(import.meta.dirname, '../fixtures/training'), folder, { recursive: true });
  const config = path.join(folder, 'train.yaml');
  const workflow = language === 'python' ? 'workflow.py->Digits' : 'workflow.ts->Digits';
  const text = readFileSync(config, 'utf8').replace('MODEL', model).replace('WORKFLOW', workflow);
  writeFileSync(config, change(text));
  return folder;
}

export async function startTraining(
  folder: string,
  { url }: RehearsalServer,
  more: object,
): Promise<RunningAdapter> {
  const adapter = new RunningAdapter();
  await adapter.launch({
    config: path.join(folder, 'train.yaml'),
    ...{ noDebug: true, backbone: 'tinker', tinkerUrl: url, rank: 8, parallel: 32 },
    ...more,
  });
  return adapter;
}

/** The folder of the results of a project. */
export function resultsOf(project: string): string {
  return path.join(project, 'saved_experiments', 'digits');
}

interface Metrics {
  readonly kind: string;
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}

function metricsIn(results: string): readonly Metrics[] {
  const lines = readFileSync(path.join(results, 'metrics.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Metrics);
}

export interface Curve {
  /** Mean reward of each step. */
  readonly curve: readonly number[];
  /** Mean reward of the first two and of the last three steps. */
  readonly first: number;
  readonly last: number;
  /** The ratio of trainer and sampler that is farthest from 1 in the first step. */
  readonly ratio: number;
}

export function curveIn(results: string): Curve {
  const metrics = metricsIn(results);
  const curve = metrics.map(({ values }) => values['critic/rewards/mean'] ?? NaN);
  const ratio = metrics[0]?.values['training/ratio_worst'] ?? NaN;
  return { curve, first: mean(curve.slice(0, 2)), last: mean(curve.slice(-3)), ratio };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
