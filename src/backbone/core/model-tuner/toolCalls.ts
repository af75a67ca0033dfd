import type { ChatRequest } from './model.ts';
import type { Override } from './sampling.ts';

/**
 * Returns the request for `ajet.rollout.force_disable_toolcalls`, as in upstream: without tools, without tool results, and
 * without messages whose content is not plain text, such as tool calls. Findings of the run report the lost messages.
 */
export function withoutToolCalls(request: ChatRequest): ChatRequest {
  const others = Object.entries(request).filter(([option]) => option !== 'tools');
  const messages = request.messages.filter(
    ({ role, content }) => role !== 'tool' && typeof content === 'string',
  );
  return { ...(Object.fromEntries(others) as unknown as ChatRequest), messages };
}

/** Returns the warning about the removed tools of a request. */
export function removedTools({ tools = [] }: ChatRequest): readonly Override[] {
  if (!Array.isArray(tools) || tools.length === 0) return [];
  const message =
    'offers tools, which are left out, and results of tools with them: ajet.rollout.force_disable_toolcalls is set';
  return [{ option: 'tools', message }];
}
