import { instructed, type HelperMessage } from '../../helper-llm/helperLlm.ts';

/** The number of questions per call, as in upstream. */
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

export function questionsPrompt(content: string): readonly HelperMessage[] {
  return instructed(
    `You write questions for a data set. The given document answers each of them.
- Together they cover all parts of the document: facts, reasons, comparisons, sequences, numbers and conclusions.
- Each is one clear sentence that ends with a question mark and is understandable without the document. No two ask for the same thing.
- Add to each the passage that answers it, copied from the document. Use no other source.
You answer with JSON and nothing else: a list of objects with the fields "query" and "related_doc".`,
    `Write exactly ${questionsPerCall} questions about this document.

<document>
${content}
</document>

[{"query": "…?", "related_doc": "…"}, …]`,
  );
}

export function queryPrompt(query: string, document: string | undefined): readonly HelperMessage[] {
  const background =
    document === undefined
      ? ''
      : '\nUse the given document as background: the new query has the same subject but does not depend on one passage.';
  return instructed(
    `You write one new user query in the style of another. Keep the kind of task, the language, the tone and about the same length. Choose a related subject and write a different query, not the old one with some words changed.${background}
You answer with one JSON object and nothing else: {"query": "…"}`,
    `${document === undefined ? '' : `<document>\n${document}\n</document>\n\n`}<query>\n${query}\n</query>`,
  );
}
