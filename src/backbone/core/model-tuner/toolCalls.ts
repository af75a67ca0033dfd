import type { ChatRequest } from './model.ts';
import type { Override } from './sampling.ts';

/**
 * What reaches the model where `ajet.rollout.force_disable_toolcalls` is set: no tools, and no message that is a tool's
 * result or whose content is no plain text, such as the call that asked for it. As upstream, which leaves them out before
 * its engine is asked; the findings of the run tell of what is lost.
 */
export function withoutToolCalls(request: ChatRequest): ChatRequest {
  const others = Object.entries(request).filter(([option]) => option !== 'tools');
  const messages = request.messages.filter(
    ({ role, content }) => role !== 'tool' && typeof content === 'string',
  );
  return { ...(Object.fromEntries(others) as unknown as ChatRequest), messages };
}

/** That the tools of a request are left out. */
export function removedTools({ tools = [] }: ChatRequest): readonly Override[] {
  if (!Array.isArray(tools) || tools.length === 0) return [];
  const told =
    'offers tools, which are left out, and results of tools with them: ajet.rollout.force_disable_toolcalls is set';
  return [{ option: 'tools', message: told }];
}
