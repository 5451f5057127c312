// Nothing is built of it: a test reads the schema of its Application from the module.
module pulumi-docs-platform/tools/argo-cd

go 1.24

require github.com/argoproj/argo-cd/v2 v2.14.21
