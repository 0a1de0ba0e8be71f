/** The one place that names the program's version; a test compares it with the packages'. */
export const version = "0.1.0";
