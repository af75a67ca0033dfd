import { isRecord } from '../../../base/core/isRecord.ts';

/** The content of an API key, which identifies the caller. It has the same fields as upstream's key. */
export interface ApiKeyContent {
  readonly agentName: string;
  readonly targetTag: string;
  readonly episodeUuid: string;
  /** The address that serves the episode. Upstream connects to it; here it is informative and may be empty. */
  readonly episodeAddress: string;
}

const prefix = 'sk-ajet-';

/** Upstream's form: `sk-ajet-` and the base64 of a JSON object. */
export function encodeApiKey(content: ApiKeyContent): string {
  const json = JSON.stringify({
    agent_name: content.agentName,
    target_tag: content.targetTag,
    episode_uuid: content.episodeUuid,
    episode_address: content.episodeAddress,
  });
  return prefix + btoa(escapeNonAscii(json));
}

/** Takes base64 with either alphabet, padded or not. Undefined for anything that names no agent, tag and episode. */
export function decodeApiKey(key: string): ApiKeyContent | undefined {
  const fields = key.startsWith(prefix) ? parseObject(key.slice(prefix.length)) : undefined;
  const { agent_name, target_tag, episode_uuid, episode_address } = fields ?? {};
  if (!isName(agent_name) || !isName(target_tag) || !isName(episode_uuid)) return undefined;
  return {
    agentName: agent_name,
    targetTag: target_tag,
    episodeUuid: episode_uuid,
    episodeAddress: typeof episode_address === 'string' ? episode_address : '',
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseObject(base64: string) {
  try {
    const bytes = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    const isAscii = !/[\x80-\xff]/.test(bytes); // Our own keys are, and each call sends one.
    const value: unknown = JSON.parse(
      isAscii ? bytes : utf8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))),
    );
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // It is not base64, not UTF-8 or not JSON, so it is not one of our keys.
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Replaces characters of JSON that are not printable ASCII with escapes. */
export function escapeNonAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
