import { decodeBase64, encodeBase64 } from './base64.ts';

/** Whose calls a key is for. Field for field upstream's key, so that code written for either reads both. */
export interface ApiKeyContent {
  readonly agentName: string;
  readonly targetTag: string;
  readonly episodeUuid: string;
  /** Where the episode is served. Upstream dials it; here it only informs, and may be empty. */
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
  return prefix + encodeBase64(escapeNonAscii(json));
}

/** Takes base64 with either alphabet, padded or not. Undefined for anything that names no agent, tag and episode. */
export function decodeApiKey(key: string): ApiKeyContent | undefined {
  const known = decoded.get(key);
  if (known !== undefined) return known;
  const content = decode(key);
  if (content !== undefined) {
    if (decoded.size >= mostDecoded) decoded.clear();
    decoded.set(key, content);
  }
  return content;
}

/** An agent makes all of its calls with one key. */
const decoded = new Map<string, ApiKeyContent>();
const mostDecoded = 1_000;

function decode(key: string): ApiKeyContent | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const bytes = decodeBase64(key.slice(prefix.length));
  const fields = bytes === undefined ? undefined : parseObject(bytes);
  if (fields === undefined) return undefined;
  const { agent_name, target_tag, episode_uuid, episode_address } = fields;
  if (!isName(agent_name) || !isName(target_tag) || !isName(episode_uuid)) return undefined;
  return {
    agentName: agent_name,
    targetTag: target_tag,
    episodeUuid: episode_uuid,
    episodeAddress: typeof episode_address === 'string' ? episode_address : '',
  };
}

interface KeyFields {
  readonly agent_name?: unknown;
  readonly target_tag?: unknown;
  readonly episode_uuid?: unknown;
  readonly episode_address?: unknown;
}

/** @param bytes UTF-8, one character per byte */
function parseObject(bytes: string): KeyFields | undefined {
  try {
    const percent = bytes.replace(/[^]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
    const value: unknown = JSON.parse(decodeURIComponent(percent));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // not UTF-8, or not JSON: not one of our keys
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function escapeNonAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
