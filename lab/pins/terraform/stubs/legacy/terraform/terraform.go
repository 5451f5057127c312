// Package terraform stands for what only a test of the module imports.
package terraform
