/** The only definition of the program's version; a test compares it with the package files. */
export const version = "0.1.0";
