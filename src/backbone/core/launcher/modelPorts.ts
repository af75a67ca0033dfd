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
  /** Of every call, when it is over. */
  readonly onCall: Event<FinishedCall>;
  /** @param guard checks each call before the model being trained is asked; absent: it is not asked */
  openCalls(slot: EpisodeSlot, episodeUuid: string, guard?: ContextGuard): EpisodeCalls;
  /** Tells what only the whole run shows. */
  episodesEnded(): void;
  close(): Promise<void>;
}

/** What makes a run's models. */
export interface ModelPorts {
  /** Rejects with a CodedError `tokenizer/…` where the request names a tokenizer that is not there or not readable. */
  findModelText(request: RunRequest, plan: RunPlan): Promise<ModelTextSource>;
  openModelTuner(request: RunRequest, plan: RunPlan, text: ModelTextSource): Promise<ModelTuner>;
}
