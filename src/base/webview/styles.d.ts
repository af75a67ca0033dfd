/** The bundler gathers imported style sheets in one file beside the script. */
declare module '*.css';
