import { decodeApiKey, encodeApiKey } from '../../../backbone/core/model-tuner/apiKey.ts';
import { isTrainable, type AdapterRoute, type Targets } from '../../../backbone/core/model-tuner/routing.ts';
import { createTuner } from '../../../backbone/core/model-tuner/tuner.ts';
import { toReport, CodedError } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import type { BridgeCall } from '../../core/protocol/bridge.ts';
import type { AjetTuner, BaseUrlApiKey } from '../../../sdk/core/index.ts';

export const bridgeErrors = {
  noEndpoint: () =>
    new CodedError({
      code: 'bridge/no-endpoint',
      message: 'asOaiBaseUrlApiKey needs the interchange server, which this training run does not have.',
      hint: 'Set ajet.enable_experimental_interchange_server to true in the config, or use asOpenAIClient.',
    }),
  notServed: (what: string) =>
    new CodedError({
      code: 'bridge/not-served',
      message: `Training does not support ${what}.`,
      hint: 'Request chat completions without streaming.',
    }),
  noOutput: (name: string, value: unknown) =>
    new CodedError({
      code: 'bridge/no-output',
      message: `execute of ${name} returned ${kindOf(value)}, not a WorkflowOutput.`,
      hint: 'Return an object such as {reward, isSuccess, metadata}.',
    }),
  badReward: (name: string) =>
    new CodedError({
      code: 'bridge/bad-reward',
      message: `The reward of ${name} is not a finite number.`,
      hint: 'Return one number. If a workflow returns no reward, the judge computes it.',
    }),
  cancelled: () => new CodedError({ code: 'bridge/cancelled', message: 'The episode was canceled.' }),
  noReset: () =>
    new CodedError({
      code: 'bridge/no-reset',
      message: 'The environment of an episode cannot be reset.',
    }),
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

export interface TunerSource {
  readonly config: Readonly<Record<string, unknown>>;
  readonly episodeUuid: string;
  readonly targets: Targets;
  readonly endpoint: BaseUrlApiKey | null;
  /** Sends a call to the Python trainer. */
  ask(call: BridgeCall): Promise<unknown>;
  /** The value after the last answer. */
  contextOverflow(): boolean;
}

/** A placeholder. Requests do not use the network: the Python tuner answers them, routed by target. */
const noAddress = 'http://training.invalid/v1';

export function bridgedTuner(source: TunerSource): AjetTuner {
  const { endpoint, episodeUuid, targets } = source;
  const address = (endpoint && decodeApiKey(endpoint.apiKey)?.episodeAddress) ?? '';
  const access = createTuner({
    baseUrl: endpoint?.baseUrl ?? noAddress,
    targets,
    debugModels: [],
    apiKeyFor: (agent) => encodeApiKey({ ...agent, episodeUuid, episodeAddress: address }),
    fetchFor: (route) => (input, init) => answer(source, route, new Request(input, init)),
    contextOverflow: () => source.contextOverflow(),
  });
  return {
    ...access,
    config: source.config,
    asOaiBaseUrlApiKey: (agent) => {
      if (endpoint === null) throw bridgeErrors.noEndpoint();
      return { ...access.asOaiBaseUrlApiKey(agent), model: endpoint.model };
    },
  };
}

async function answer(source: TunerSource, route: AdapterRoute, request: Request): Promise<Response> {
  try {
    return Response.json(await complete(source, route, request));
  } catch (error) {
    const { code, message } = toReport(error, 'bridge/model-failed');
    return Response.json({ error: { message, code, type: 'training' } }, { status: 500 });
  }
}

async function complete(
  source: TunerSource,
  { debugModel }: AdapterRoute,
  request: Request,
): Promise<unknown> {
  const { pathname } = new URL(request.url);
  if (!pathname.endsWith('/chat/completions')) throw bridgeErrors.notServed(pathname);
  const asked: unknown = await request.json();
  if (!isRecord(asked) || asked['stream'] === true) throw bridgeErrors.notServed('streamed replies');
  const key = decodeApiKey(request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '');
  const agent = { agentName: key?.agentName ?? '', targetTag: key?.targetTag ?? '' };
  const work = source.ask({
    method: 'chat',
    ...agent,
    targetTag: debugModel === null ? trainedTag(agent.targetTag, source.targets) : agent.targetTag,
    debugModel,
    request: asked,
  });
  return Promise.race([work, aborted(request.signal)]);
}

/** Python routes by the tag alone, so an agent that must be trained needs a trainable tag. */
function trainedTag(tag: string, targets: Targets): string {
  return isTrainable(targets, tag) ? tag : (targets?.[0] ?? tag);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
