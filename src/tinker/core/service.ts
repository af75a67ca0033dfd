/**
 * A training service that speaks the Tinker API, as the rest of the program sees it: tokens in, tokens, log probabilities
 * and new weights out. Templates, rewards, advantages and masks are the client's.
 */
import type { CancellationToken } from '../../base/core/cancellation.ts';

/** The work that services charge for by the token: they read prompts, sample replies, and train on sequences. */
export const tokenKinds = ['prefill', 'sample', 'train'] as const;
export type TokenKind = (typeof tokenKinds)[number];
export type TokenCounts = Readonly<Record<TokenKind, number>>;

/** A reply of a model, exactly as the server returned it. */
export interface SampledSequence {
  /** Includes the stop token that ended it. */
  readonly tokenIds: Int32Array;
  /** One per token: the natural logarithm of its probability at temperature 1, whatever temperature it was sampled with. */
  readonly logprobs: Float32Array;
  readonly stopReason: 'stop' | 'length';
}

export interface SamplingOptions {
  readonly samples: number;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  /** -1: all tokens. */
  readonly topK: number;
  /** Ids of the tokens that end a reply. Servers know no other end. */
  readonly stop: readonly number[];
  readonly seed?: number | undefined;
}

/** A snapshot of weights that answers. */
export interface Sampler {
  /** Rejects with a CodedError `tinker/…`. After cancellation it rejects promptly. */
  sample(
    prompt: Int32Array,
    options: SamplingOptions,
    cancellation: CancellationToken,
  ): Promise<readonly SampledSequence[]>;
  /** Resolves to the log probability of each token after those before it. The first is NaN. */
  score(tokenIds: Int32Array, cancellation: CancellationToken): Promise<Float32Array>;
}

/** A sequence to train on. All lists have one entry per predicted token: entry i speaks of the token after `inputIds[i]`. */
export interface Datum {
  readonly inputIds: Int32Array;
  readonly targetIds: Int32Array;
  /** Those of the sampler; 0 where the token was not sampled. */
  readonly logprobs: Float32Array;
  /** 0 where the token does not count. */
  readonly advantages: Float32Array;
  /** 1 where the token counts in the loss, 0 elsewhere. */
  readonly weights: Float32Array;
}

export const lossNames = ['importance_sampling', 'ppo', 'cispo'] as const;
export type LossName = (typeof lossNames)[number];

export interface Loss {
  readonly name: LossName;
  /** Bounds of the ratio for `ppo` and `cispo`, e.g. 0.8 and 1.2. Servers' defaults differ, so they are always sent. */
  readonly clip?: { readonly low: number; readonly high: number } | undefined;
}

export interface PassResult {
  /** For each datum: the log probabilities of its target tokens under the weights before the step. */
  readonly logprobs: readonly Float32Array[];
  readonly metrics: Readonly<Record<string, number>>;
}

export interface AdamOptions {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weightDecay: number;
  /** 0: gradients are not clipped. */
  readonly gradClipNorm: number;
}

export interface LoraOptions {
  /** The name by which the server knows the model. */
  readonly baseModel: string;
  readonly rank: number;
  readonly seed?: number | undefined;
  readonly trainMlp: boolean;
  readonly trainAttn: boolean;
  readonly trainUnembed: boolean;
}

/**
 * A model in training: an adapter and its optimizer on the server. Its requests are sent in the order of the calls. Methods
 * reject with a CodedError `tinker/…`, after cancellation promptly. A request that the server already has still takes effect.
 */
export interface TrainedModel {
  readonly id: string;
  /** Adds the gradients of the datums to those since the last step. Large batches go in several requests. */
  forwardBackward(
    datums: readonly Datum[],
    loss: Loss,
    cancellation?: CancellationToken,
  ): Promise<PassResult>;
  /** Resolves to the server's metrics, e.g. the norm of the gradient. Rejects with the error of a pass that has failed. */
  optimStep(
    options: AdamOptions,
    cancellation?: CancellationToken,
  ): Promise<Readonly<Record<string, number>>>;
  /** Resolves to a sampler of the current weights. With some servers it is not frozen: sample from it before the next step. */
  sampler(cancellation?: CancellationToken): Promise<Sampler>;
  /** Saves weights and optimizer under a name of letters, digits, `-` and `_`. Resolves to the `tinker://` path. */
  save(name: string, cancellation?: CancellationToken): Promise<string>;
  /** Saves weights for sampling. Resolves to the `tinker://` path. */
  saveForSampling(name: string, cancellation?: CancellationToken): Promise<string>;
  /**
   * Saves weights as files of an adapter that can be downloaded. Resolves to the `tinker://` path.
   *
   * @param lifetime seconds after which the server deletes them, at least an hour
   */
  export(name: string, lifetime: number, cancellation?: CancellationToken): Promise<string>;
  /** Continues from saved weights and optimizer. Only as the first request of the model. */
  load(path: string, cancellation?: CancellationToken): Promise<void>;
  /** Frees its place on the server. Does not reject. */
  unload(): Promise<void>;
}

/** The abilities of a server and the way it counts. */
export interface ServerProfile {
  readonly kind: 'tinker' | 'skyrl' | 'tuft' | 'other';
  /** For people, e.g. `SkyRL 0.4`. */
  readonly name: string;
  readonly models: readonly { readonly name: string; readonly maxContextLength?: number | undefined }[];
  /**
   * The reduction of the loss. `sum`: over all tokens of all datums. `mean-of-datums`: by datum its mean over
   * its weights, then the mean over datums.
   */
  readonly reduction: 'sum' | 'mean-of-datums';
  readonly losses: readonly LossName[];
}

/** A message about the connection for the user. */
export interface TinkerNotice {
  /** `waiting`: requests wait for the named reason, until `resumed`. */
  readonly kind: 'waiting' | 'resumed' | 'info' | 'warning';
  readonly text: string;
}

/** A session. It lives as long as its heartbeats, which a separate process sends. */
export interface TinkerSession {
  readonly server: ServerProfile;
  createModel(options: LoraOptions, cancellation: CancellationToken): Promise<TrainedModel>;
  /** A sampler of a base model, or of saved weights by their `tinker://` path. */
  openSampler(
    source: { readonly baseModel: string } | { readonly path: string },
    cancellation: CancellationToken,
  ): Promise<Sampler>;
  /** A model with saved weights, by their `tinker://` path or that of the weights for sampling of the same name. */
  openModel(path: string, cancellation: CancellationToken): Promise<TrainedModel>;
  /** Unloads models, ends the session and its heartbeats. Does not reject. */
  close(outcome: 'success' | 'errored' | 'interrupted'): Promise<void>;
}
