import type { Event } from '../../../base/core/event.ts';
import type { RunRequest } from '../protocol/run.ts';
import type { ModelTextSource } from '../context-tracker/modelTextSource.ts';
import type { FinishedCall } from '../model-tuner/call.ts';
import type { ContextGuard } from '../model-tuner/contextGuard.ts';
import type { EpisodeCalls, EpisodeSlot } from '../task-runner/episode.ts';
import type { RunPlan } from './runPlan.ts';

/** The run's Model Tuner, ready to answer. */
export interface ModelTuner {
  /** e.g. `built-in (seed 12345)`. */
  readonly description: string;
  /** Fires when a call has ended. */
  readonly onCall: Event<FinishedCall>;
  /** @param guard checks each call before it reaches the model being trained; without a guard, no such calls are made */
  openCalls(slot: EpisodeSlot, episodeUuid: string, guard?: ContextGuard): EpisodeCalls;
  /** Emits the warnings that depend on the whole run. */
  episodesEnded(): void;
  close(): Promise<void>;
}

/** Opens the models of a run. */
export interface ModelPorts {
  /** Rejects with a CodedError `tokenizer/…` if the tokenizer of the request does not exist or is not readable. */
  findModelText(request: RunRequest, plan: RunPlan): Promise<ModelTextSource>;
  openModelTuner(request: RunRequest, plan: RunPlan, text: ModelTextSource): Promise<ModelTuner>;
}
