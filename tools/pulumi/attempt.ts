/** How one way to a Pulumi command line ended: the folder that holds it, or why it cannot be had this way. */
export type Attempt = { readonly folder: string } | { readonly problem: string };
