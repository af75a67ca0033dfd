/** True in an editor, which has commands and opens files. */
export const inEditor = document.documentElement.dataset['host'] === 'editor';
