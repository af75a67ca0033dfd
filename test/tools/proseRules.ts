/**
 * The rules of the prose check (prose.ts) and the paths that it covers. Each rule has a sentence that fails and one that
 * passes: test/unit/tools/prose.test.ts tries both.
 */

export interface ProseRule {
  readonly id: string;
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly better: string;
  readonly fails: string;
  readonly passes: string;
  /** Where the rule applies: to the first sentence of a doc comment, or to all but those. Everywhere if absent. */
  readonly at?: 'docStart' | 'otherwise';
}

/** The longest sentence, in words. A code span, a placeholder and a path are one word each. */
export const longestSentence = 25;

/** The files that are checked. */
export const covered = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs/**/*.md',
  'media/**/README.md',
  'media/l10n/bundle.l10n.json',
  'package.nls.json',
  'src/**/*.{ts,tsx,py}',
];

/** Idioms, archaic words and terms that the field does not use. */
const wording: readonly ProseRule[] = [
  {
    id: 'told',
    pattern: /\b(told|tells|telling apart|tell (of|apart|which)|to tell (of|apart|what|why))\b/i,
    better: 'reported, shown, named; distinguish',
    fails: 'What is wrong with an interpreter is told with its path.',
    passes: 'AgentJet reports interpreter errors with their path.',
  },
  {
    id: 'heed',
    pattern: /\bheed(s|ed|ing)?\b/i,
    better: 'applied, passed on, respected',
    fails: 'The flags of services are heeded.',
    passes: 'Service flags are passed on.',
  },
  {
    id: 'mend',
    pattern: /\bmend(s|ed|ing)?\b/i,
    better: 'fix',
    fails: 'The message shows a command that mends the environment.',
    passes: 'The message shows a command that fixes the environment.',
  },
  {
    id: 'beside',
    pattern: /\bbeside\b/i,
    better: 'next to, in addition to, to the side',
    fails: 'The trace opens beside the code.',
    passes: 'The trace opens next to the code. Besides, it follows the run.',
  },
  {
    id: 'goes-on',
    pattern: /\b(go(es|ing|ne)?|went) on\b(?! (to (the|step|page|https?)|the|line|stderr|stdout))/i,
    better: 'continues, is running',
    fails: 'The run goes on after the pause.',
    passes: 'The run continues after the pause. It is ongoing.',
  },
  {
    id: 'stands',
    pattern: /\b(stands(?! (for|in for)\b)|stood)\b/i,
    better: 'is, appears, is written',
    fails: 'The value stands in the second line.',
    passes: 'The value is in the second line, and `*` stands for anything. A script stands in for the model.',
  },
  {
    id: 'comes-by',
    pattern: /\b(comes?|came|coming) by\b(?! default)/i,
    better: 'connects through, uses, gets',
    fails: 'An agent that comes by base URL is trained.',
    passes: 'An agent that uses a base URL is trained.',
  },
  {
    id: 'archaic',
    pattern:
      /\b(anew|afresh|whence|whither|hither|thither|thereby|therein|thereof|therefrom|thereto|wherein|whereby|whereof|whereupon|herein|hereby|hitherto|forthwith|lest|albeit|aught|naught|betimes|withal|seldom|whoever|whosoever|whomever|nobody)\b/i,
    better: 'a common word: again, by which, so that … not, rarely, the user who, no one',
    fails: 'The job is submitted anew.',
    passes: 'The job is submitted again.',
  },
  {
    id: 'of-own',
    pattern: /\bof (its|their|your|our|my|one's) own\b/i,
    better: 'its own X, a separate X',
    fails: 'The page has a scroll position of its own.',
    passes: 'The page has its own scroll position.',
  },
  {
    id: 'of-yours',
    pattern: /\bof (yours|ours|theirs|hers|mine)\b/i,
    better: 'your X, one of your X',
    fails: 'A file of yours answers.',
    passes: 'Your file answers.',
  },
  {
    id: 'of-then',
    pattern: /\bof (then|now)\b/i,
    better: 'recorded, earlier; current, new',
    fails: 'The page compares the rewards of then and now.',
    passes: 'The page compares recorded and new rewards.',
  },
  {
    id: 'lacks',
    pattern: /\black(s|ed|ing)?\b/i,
    better: 'is missing, does not have',
    fails: 'The format lacks token ids.',
    passes: 'The format does not have token ids.',
  },
  {
    id: 'is-had',
    pattern: /\b(is|are|was|were|be) had\b/i,
    better: 'active voice: X has, X uses',
    fails: 'A cluster is had by one run.',
    passes: 'One run uses a cluster.',
  },
  {
    id: 'is-no',
    pattern:
      /(?<!\b(?:there|here|that|what|where) )\b(is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|later\b|earlier\b|different\b|one\b)[a-z]/i,
    better: 'is not a X',
    fails: 'This file is no tokenizer.',
    passes: 'This file is not a tokenizer. There is no other, and it is no longer read.',
  },
  {
    id: 'is-none',
    pattern: /(?<!\b(?:there|default) )\b(is|are) none\b(?! of\b)/i,
    better: 'is not a X; does not exist',
    fails: 'The standard input is none.',
    passes: 'The standard input is not a terminal. There is none.',
  },
  {
    id: 'nothing-of',
    pattern: /\bnothing of\b|[}`] does nothing\b/i,
    better: 'does not …; for a command: Unknown command …',
    fails: 'Python reads nothing of the file.',
    passes: 'Python does not read the file.',
  },
  {
    id: 'is-asked',
    pattern: /\b(is|are|was|were|be|been|being) asked\b(?! (to|for)\b)/i,
    better: 'receives a request, is called',
    fails: 'The model is asked once.',
    passes: 'The model receives one request. The user is asked for a token.',
  },
  {
    id: 'is-to-be',
    pattern: /\b(is|are) to be\b/i,
    better: 'must be',
    fails: 'The token is to be kept.',
    passes: 'The token must be kept.',
  },
  {
    id: 'what-is-there',
    pattern: /\bwhat (is|was) there\b/i,
    better: 'the existing X, the content',
    fails: 'The page shows what is there.',
    passes: 'The page shows the existing files.',
  },
  {
    id: 'in-front',
    pattern: /\bin front\b(?! of\b)/i,
    better: 'active, in the active editor',
    fails: 'F5 starts the config in front.',
    passes: 'F5 starts the config in the active editor.',
  },
  {
    id: 'set-phrase',
    pattern: /\b(in clear|by code|in its stead|in vain|so to speak|for want of|for naught)\b/i,
    better: 'unencrypted; in code; instead; without result',
    fails: 'The token is sent in clear.',
    passes: 'The token is sent unencrypted.',
  },
  {
    id: 'but-for',
    pattern: /(?<!,|not only) but for\b/i,
    better: 'except for',
    fails: 'All modules but for one are loaded.',
    passes: 'All modules except for one are loaded.',
  },
  {
    id: 'held-against',
    pattern: /\bh(e|o)lds? against\b/i,
    better: 'compare with',
    fails: 'The count is held against the limit.',
    passes: 'The count is compared with the limit.',
  },
  {
    id: 'looks-after',
    pattern: /\blook(s|ed|ing)? after\b/i,
    better: 'manages, monitors',
    fails: 'The keeper looks after the run.',
    passes: 'The keeper monitors the run.',
  },
  {
    id: 'once-too-many',
    pattern: /\bone (?!of\b)(\w+ )?too many\b/i,
    better: 'Unexpected X',
    fails: '"x" is one file too many.',
    passes: 'Unexpected argument "x".',
  },
  {
    id: 'subject-first',
    pattern: /^(What|Whose|Whoever|Whatever) (?!if\b)[^?]*[.;]$/,
    better: 'the noun first: "The model receives …", not "What the model gets is …"',
    fails: 'What cannot be read is left out.',
    passes: 'Unreadable lines are left out.',
    at: 'otherwise',
  },
  {
    id: 'where-condition',
    pattern: /^Where (?!to\b)[^?]*,[^?]*\.$/,
    better: 'If …, When …',
    fails: 'Where no file exists, defaults apply.',
    passes: 'If no file exists, defaults apply.',
    at: 'otherwise',
  },
  {
    id: 'doc-start',
    pattern: /^(Of|As|What|Whether|That|Whose|Where|How|Why) /,
    better: 'begin with what it is or does: "Returns …", "The …"',
    fails: 'Whether the file exists.',
    passes: 'Returns true if the file exists.',
    at: 'docStart',
  },
];

/** The terms of the project's glossary. */
const terms: readonly ProseRule[] = [
  {
    id: 'built-in-model',
    pattern: /\bembedded (model|tokenizer)\b/i,
    better: 'built-in model, built-in tokenizer',
    fails: 'The embedded model answers.',
    passes: 'The built-in model answers.',
  },
  {
    id: 'recording',
    pattern: /\btapes?\b/i,
    better: 'recording (LLM calls for replay), trace (record of a run)',
    fails: 'The tape has three calls.',
    passes: 'The recording has three calls.',
  },
];

/** British spellings, and their American ones. */
const spelling: ProseRule = {
  id: 'american',
  pattern: new RegExp(
    [
      String.raw`\b(un|re|mis|de)?(`,
      '(behavi|col|fav|hon|neighb|lab|hum|rum|vap|arm)ours?(s|ed|ing|able|ite|al|ally|less|ful)?',
      '|(normal|serial|deserial|initial|recogn|organ|optim|summar|minim|maxim|util|synchron|token|custom|general|special|visual|final|memo|capital|categor|prior|standard|material|local|canonical|anonym|author|emphas|character|random|real|parallel|quant|vector|polar|raster|sanit|equal|modular|central)is(e|es|ed|ing|er|ers|ation|ations)',
      '|(analy|cataly|paraly)s(e|ed|ing|er)',
      '|(cancel|label|model|travel|signal|total|level|channel|marshal|pencil|tunnel|dial|fuel|panel)l(ed|ing|er)',
      '|centres?|centred|licences?|defences?|offences?|greys?|greyed|catalogues?|catalogued|programmes?|judgements?|artefacts?|fulfils?|skilful|whilst|amongst|learnt|spelt|burnt|dreamt|cheques?|tyres?|ageing|metres?|litres?',
      String.raw`)\b`,
    ].join(''),
    'i',
  ),
  better: 'the American spelling',
  fails: 'The behaviour is cancelled.',
  passes: 'The behavior is canceled, after an analysis of the armor and of two analyses.',
};

export const proseRules: readonly ProseRule[] = [...wording, ...terms, spelling];
