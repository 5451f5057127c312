// Nothing is built of it: a test reads the schema of its HTTPRoute from the module.
module pulumi-docs-platform/tools/gateway-api

go 1.26

require sigs.k8s.io/gateway-api v1.6.3
