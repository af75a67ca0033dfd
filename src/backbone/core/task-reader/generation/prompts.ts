import type { HelperMessage } from '../../helper-llm/helperLlm.ts';

/** How many questions a document is asked for at a time; upstream's number. */
export const questionsPerCall = 10;

const question = { query: { type: 'string', minLength: 1 } };

export const questionsSchema = {
  type: 'array',
  minItems: questionsPerCall,
  maxItems: questionsPerCall,
  items: {
    type: 'object',
    properties: { ...question, related_doc: { type: 'string' } },
    required: ['query', 'related_doc'],
  },
};

export const querySchema = { type: 'object', properties: question, required: ['query'] };

/** Questions that a document answers. */
export function questionsPrompt(content: string): readonly HelperMessage[] {
  return [
    {
      role: 'system',
      content: `You write questions for a data set, each of which the document you are given answers.
- Together they reach every part of it: facts, reasons, comparisons, sequences, numbers and what follows from them.
- Each is one clear sentence that ends with a question mark, makes sense without the document in view, and asks for something the others do not.
- With each goes the passage that answers it, copied from the document; nothing comes from elsewhere.
You answer with JSON and nothing else: a list of objects with the fields "query" and "related_doc".`,
    },
    {
      role: 'user',
      content: `Write exactly ${questionsPerCall} questions about this document.

<document>
${content}
</document>

[{"query": "…?", "related_doc": "…"}, …]`,
    },
  ];
}

/** A query like another one. */
export function queryPrompt(query: string, document: string | undefined): readonly HelperMessage[] {
  const background =
    document === undefined
      ? ''
      : '\nA document goes with it: the new query belongs to the same subject, without depending on one passage of it.';
  return [
    {
      role: 'system',
      content: `You write one new user query after the model of another: same kind of task, same language, tone and about the same length, a related subject, and yet a query of its own rather than the old one with some words exchanged.${background}
You answer with one JSON object and nothing else: {"query": "…"}`,
    },
    {
      role: 'user',
      content: `${document === undefined ? '' : `<document>\n${document}\n</document>\n\n`}<query>\n${query}\n</query>`,
    },
  ];
}
