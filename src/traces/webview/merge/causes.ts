import * as l10n from '@vscode/l10n';
import type { ForkView } from '../../core/protocol/mergingRpc.ts';

/** Returns the reason why a timeline does not continue an earlier one, as a sentence. */
export function causeOf(fork: ForkView): string {
  const { message, earlierCall, before, now } = fork;
  const role = now?.role ?? before?.role ?? '';
  switch (fork.cause) {
    case 'agents':
      return l10n.t(
        'Another agent than that of call {0} asks, or one with another system prompt.',
        earlierCall,
      );
    case 'content':
      return l10n.t('Message {0} ({1}) differs from that of call {2}.', message, role, earlierCall);
    case 'reply':
      return l10n.t('The request of call {0} was asked again, and answered otherwise.', earlierCall);
    case 'fields':
      return l10n.t(
        'Message {0} ({1}) has the text of call {2}, but another role or other tool calls, which only token compares.',
        message,
        role,
        earlierCall,
      );
    case 'tools':
      return l10n.t('Other tools are offered than in call {0}.', earlierCall);
    case 'retokenized':
      return l10n.t(
        'Message {0} ({1}) has the text of call {2} in other tokens.',
        message,
        role,
        earlierCall,
      );
    case 'shorter':
      return l10n.t(
        'It is the beginning of what call {0} ended, and only a later call takes an earlier one over.',
        earlierCall,
      );
  }
}

/** Returns advice for a fork; undefined: none is needed. */
export function adviceOf({ cause }: ForkView): string | undefined {
  switch (cause) {
    case 'agents':
    case 'shorter':
      return undefined;
    case 'content':
    case 'reply':
      return l10n.t('Send the history back as it was received, to have one timeline.');
    case 'fields':
    case 'retokenized':
      return l10n.t('timeline_compare_level: text compares texts alone.');
    case 'tools':
      return l10n.t('ignore_tools: true merges them all the same.');
  }
}
