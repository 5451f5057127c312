// Package terraform replaces a package that only a test of the module imports.
package terraform
