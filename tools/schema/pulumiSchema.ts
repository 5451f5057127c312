export interface PulumiSchema {
  version: string;
  description: string;
  displayName: string;
  repository: string;
  pluginDownloadURL: string;
  logoUrl: string;
  keywords: string[];
  language: Record<string, Record<string, unknown>>;
  config: { variables: Record<string, SchemaProperty> };
  provider: { description: string; inputProperties: Record<string, SchemaProperty> };
  types: Record<string, SchemaObject>;
  resources: Record<string, SchemaResource>;
  functions: Record<string, SchemaFunction>;
}

export interface SchemaProperty {
  type?: string;
  $ref?: string;
  additionalProperties?: SchemaProperty;
  description?: string;
  default?: unknown;
  defaultInfo?: { environment: string[] };
  secret?: boolean;
  willReplaceOnChanges?: boolean;
}

export interface SchemaObject {
  type?: "object";
  description?: string;
  properties: Record<string, SchemaProperty>;
  required?: string[];
}

export interface SchemaResource extends SchemaObject {
  inputProperties: Record<string, SchemaProperty>;
  requiredInputs: string[];
}

export interface SchemaFunction {
  description?: string;
  inputs: SchemaObject;
  outputs: SchemaObject;
}
