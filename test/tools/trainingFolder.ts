/** The folder of a training, written as a training writes it, a step at a time. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Random } from '../../src/base/core/random.ts';
import type { TrainingFolder, TrainingState } from '../../src/backbone/core/trainer/trainerPorts.ts';
import { openTrainingFolder } from '../../src/backbone/node/trainer/trainingFolder.ts';
import { generateTrace, runOf, smallTrace } from './traces/generateTrace.ts';

export const trainingStart = Date.UTC(2026, 2, 4, 9, 30);

export function trainingStateOf(changes: Partial<TrainingState> = {}): TrainingState {
  return {
    format: 1,
    config: '/home/ada/math/train.yaml',
    cwd: '/home/ada/math',
    split: 'training',
    baseUrl: 'http://127.0.0.1:8123',
    baseModel: 'Qwen/Qwen2.5-0.5B-Instruct',
    options: {},
    rank: 16,
    seed: 7,
    loss: 'ppo',
    batchSize: 8,
    totalSteps: 20,
    checkpoints: [],
    step: 0,
    status: 'running',
    startedAt: trainingStart,
    ...changes,
  };
}

/** Rewards rise from a quarter to almost one. */
export function metricsOf(step: number): Record<string, number> {
  const random = new Random(`step ${step}`);
  const noise = (): number => random.next() - 0.5;
  const reward = 1 - 0.75 * Math.exp(-step / 6) + noise() * 0.06;
  return {
    'critic/rewards/mean': reward,
    'critic/rewards/max': 1,
    'critic/rewards/min': 0,
    'critic/success_rate': reward,
    'groups/all': 8,
    'groups/equal_rewards': Math.min(6, Math.floor(step / 4)),
    'samples/all': 64,
    'samples/trained': 64 - 8 * Math.min(6, Math.floor(step / 4)),
    'prompt_length/mean': 96,
    'response_length/mean': 40 + step + noise() * 6,
    'training/logprob_diff_mean': 0.002 + random.next() * 0.001,
    'training/ratio_mean': 1 + noise() * 0.001,
    'actor/entropy': 1.1 - step * 0.03 + noise() * 0.02,
    'actor/kl_loss': 0.001 * step + random.next() * 0.001,
    'actor/lr': 0.0001,
    'timing_s/step': 55 + noise() * 6,
  };
}

/** A training whose steps and validations a test makes. */
export class ScriptedTraining {
  readonly #opened: TrainingFolder;
  state: TrainingState;

  static async open(folder: string, state: Partial<TrainingState> = {}): Promise<ScriptedTraining> {
    await mkdir(folder, { recursive: true });
    const opened = await openTrainingFolder({ folder, configText: 'ajet:\n', mode: 0o644 }, false);
    const training = new ScriptedTraining(opened, trainingStateOf(state));
    await training.save();
    return training;
  }

  /** Opens it as `agentjet resume` does. */
  static async resume(folder: string): Promise<ScriptedTraining> {
    const opened = await openTrainingFolder({ folder, configText: 'ajet:\n', mode: 0o644 }, true);
    const { state } = opened;
    if (state === undefined) throw new Error(`${folder} has no training.`);
    const step = state.checkpoints.at(-1)?.step ?? 0;
    await opened.rewind(step);
    const training = new ScriptedTraining(opened, { ...state, step, status: 'running' });
    await training.save();
    return training;
  }

  private constructor(opened: TrainingFolder, state: TrainingState) {
    this.#opened = opened;
    this.state = state;
  }

  get folder(): string {
    return this.#opened.path;
  }

  async save(changes: Partial<TrainingState> = {}): Promise<void> {
    this.state = { ...this.state, ...changes };
    await this.#opened.save(this.state);
  }

  /** Makes the next step. */
  async step(changes: Readonly<Record<string, number>> = {}): Promise<void> {
    const step = this.state.step + 1;
    this.#trace(`step-${String(step).padStart(4, '0')}`);
    const at = trainingStart + step * 60_000;
    await this.#opened.log({ kind: 'step', step, at, values: { ...metricsOf(step), ...changes } });
    await this.save({ step });
  }

  async validate(reward: number): Promise<void> {
    const { step } = this.state;
    this.#trace(`validation-${String(step).padStart(4, '0')}`);
    const values = { 'val/reward/mean': reward, 'val/success_rate': reward, 'timing_s/testing': 12 };
    await this.#opened.log({ kind: 'validation', step, at: trainingStart + step * 60_000 + 20_000, values });
  }

  async checkpoint(): Promise<void> {
    const { step, checkpoints } = this.state;
    const paths = {
      path: `tinker://run-1/weights/step-${step}`,
      sampler: `tinker://run-1/sampler_weights/step-${step}`,
    };
    const savedAt = trainingStart + step * 60_000 + 30_000;
    await this.save({ checkpoints: [...checkpoints, { step, ...paths, savedAt }] });
  }

  #trace(name: string): void {
    const size = { ...smallTrace, episodes: 4, repeat: 2, calls: 2 };
    const run = { ...runOf(size), experiment: path.basename(this.folder), config: this.state.config };
    const writer = this.#opened.openTrace(name, run);
    generateTrace(writer, size);
    writer.runEnded({ status: 'completed', error: null, endedAt: trainingStart + 60_000 });
  }
}
