// Nothing is built of it: a test reads the schema of its Application from the module.
module pulumi-docs-platform/tools/argo-cd

go 1.26

require github.com/argoproj/argo-cd/v3 v3.5.7
