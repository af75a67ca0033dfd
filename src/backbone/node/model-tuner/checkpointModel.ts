import type { ModelTextSource } from '../../core/context-tracker/modelTextSource.ts';
import type { RunPlan } from '../../core/launcher/runPlan.ts';
import type { ChatModel } from '../../core/model-tuner/model.ts';
import type { ModelChoice } from '../../core/protocol/run.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Logger } from '../../../base/core/ports.ts';
import { systemClock } from '../../../base/node/clock.ts';
import type { TinkerNotice, TinkerSession } from '../../../tinker/core/service.ts';

type CheckpointChoice = Extract<ModelChoice, { kind: 'tinker' }>;

/** The saved weights of trainings that answer in a run. Their sessions end with it. */
export class Checkpoints {
  readonly #logger: Logger;
  readonly #cancellation: CancellationToken;
  readonly #sessions: TinkerSession[] = [];

  constructor(logger: Logger, cancellation: CancellationToken) {
    this.#logger = logger;
    this.#cancellation = cancellation;
  }

  /** Opens saved weights. Replies have the tokens and log probabilities of the training. Throws `tinker/…`. */
  async open(
    { path, baseUrl, apiKey }: CheckpointChoice,
    text: ModelTextSource,
    named: RunPlan['toolParser'],
  ): Promise<ChatModel> {
    if (!text.note.exact) throw noTokenizer(text.note.name);
    const { toolParserOf } = await import('../../core/model-tuner/tinker/toolCallFormats.ts');
    const toolParser = toolParserOf(named);
    const { openTinker } = await import('../../../tinker/node/openTinker.ts');
    const { createTinkerModel } = await import('../../core/model-tuner/tinker/tinkerModel.ts');
    const cancellation = this.#cancellation;
    const session = await openTinker({ baseUrl, apiKey, cancellation, onNotice: noticeLog(this.#logger) });
    this.#sessions.push(session);
    const sampler = await session.openSampler({ path }, cancellation);
    return createTinkerModel({
      description: `${path} on ${session.server.name}`,
      sampler: () => sampler,
      text: () => text.open(),
      toolParser,
      maxContextLength: undefined,
      clock: systemClock,
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close('success')));
  }
}

/** Returns a listener that logs what a connection waits for. */
export function noticeLog(logger: Logger): (notice: TinkerNotice) => void {
  return ({ kind, text }) => logger.log(kind === 'warning' || kind === 'waiting' ? 'warn' : 'info', text);
}

function noTokenizer(used: string): CodedError {
  return new CodedError({
    code: 'model/checkpoint-tokenizer',
    message: `A checkpoint needs the tokenizer of its model, and that is not on this machine (${used} replaces it).`,
    hint: 'Set ajet.model.path to the folder of the model, or name its tokenizer with --tokenizer (launch.json: tokenizer).',
  });
}
