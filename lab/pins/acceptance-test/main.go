// Command acceptance-test tests the provider with Terraform's own harness for acceptance tests. The harness itself
// asserts that after each step the plan is empty, with and without a refresh, that an import gives the same values as
// the state, and that everything is destroyed at the end. The environment names Terraform (TF_ACC,
// TF_ACC_TERRAFORM_PATH), a mirror with the versions of the provider (TF_CLI_CONFIG_FILE), and the platform.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// The build sets the version.
var version = "none"

const (
	site    = "docsplatform_static_export.site"
	bundle  = "docsplatform_export_bundle.bundle"
	mirror  = "docsplatform_bundle_mirror.copy"
	message = "docsplatform_agent_message.fix"
)

func main() {
	shows := flag.Bool("version", false, "tells the version")
	testing.Init()
	flag.Parse()
	if *shows {
		fmt.Println(version)
		return
	}
	accept := func(string, string) (bool, error) { return true, nil }
	tests := []testing.InternalTest{
		{Name: "Lifecycle", F: lifecycle},
		{Name: "Mirror", F: mirrored},
		{Name: "Message", F: sent},
		{Name: "Upgrade", F: upgrade},
	}
	testing.Main(accept, tests, nil, nil)
}

// provider returns the provider in the versions that the constraint allows. An empty constraint selects the newest
// version.
func provider(constraint string) map[string]resource.ExternalProvider {
	return map[string]resource.ExternalProvider{
		"docsplatform": {Source: "example.com/docs/docsplatform", VersionConstraint: constraint},
	}
}

// siteAndBundle returns an export and its bundle, each with additional arguments.
func siteAndBundle(ofSite, ofBundle string) string {
	return fmt.Sprintf(`
resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
  %s
}
resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
  %s
}
data "docsplatform_static_export" "seen" {
  job_id = docsplatform_static_export.site.job_id
}
`, ofSite, ofBundle)
}

func planned(actions map[string]plancheck.ResourceActionType) resource.ConfigPlanChecks {
	checks := []plancheck.PlanCheck{}
	for address, action := range actions {
		checks = append(checks, plancheck.ExpectResourceAction(address, action))
	}
	return resource.ConfigPlanChecks{PreApply: checks}
}

type actions = map[string]plancheck.ResourceActionType

func has(address, attribute, value string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), knownvalue.StringExact(value))
}

func lifecycle(t *testing.T) {
	jobID := tfjsonpath.New("job_id")
	another := statecheck.CompareValue(compare.ValuesDiffer())
	resource.Test(t, resource.TestCase{
		ExternalProviders: provider(""),
		Steps: []resource.TestStep{
			{
				Config:           siteAndBundle("", ""),
				ConfigPlanChecks: planned(actions{site: plancheck.ResourceActionCreate, bundle: plancheck.ResourceActionCreate}),
				ConfigStateChecks: []statecheck.StateCheck{
					has(site, "status", "completed"),
					has("data.docsplatform_static_export.seen", "status", "completed"),
					statecheck.CompareValuePairs(site, jobID, bundle, tfjsonpath.New("version"), compare.ValuesSame()),
					statecheck.ExpectSensitiveValue(bundle, tfjsonpath.New("bundle_url")),
					another.AddStateValue(site, jobID),
				},
			},
			{
				Config:           siteAndBundle(`wait_timeout = "5m"`, `renew_before = "1m"`),
				ConfigPlanChecks: planned(actions{site: plancheck.ResourceActionUpdate, bundle: plancheck.ResourceActionUpdate}),
			},
			{RefreshState: true},
			{
				ResourceName: site, ImportState: true, ImportStateVerify: true,
				// An import cannot read an argument or a time that the platform does not return.
				ImportStateVerifyIgnore: []string{"wait_timeout", "started_at", "completed_at"},
			},
			{
				Config: siteAndBundle(`triggers = { revision = 9007199254740993, none = null }`, ""),
				ConfigPlanChecks: planned(actions{
					site: plancheck.ResourceActionDestroyBeforeCreate, bundle: plancheck.ResourceActionDestroyBeforeCreate,
				}),
				ConfigStateChecks: []statecheck.StateCheck{another.AddStateValue(site, jobID)},
			},
		},
	})
}

func mirrored(t *testing.T) {
	folder := t.TempDir()
	config := func(triggers, order string) string {
		return fmt.Sprintf(`
resource "docsplatform_static_export" "site" {
  domain   = "docs.example.com"
  triggers = %q
}
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = "file://%s"
  lifecycle {
    create_before_destroy = %s
  }
}
`, triggers, folder, order)
	}
	resource.Test(t, resource.TestCase{
		ExternalProviders: provider(""),
		CheckDestroy: func(*terraform.State) error {
			left, err := filepath.Glob(filepath.Join(folder, "*"))
			if err == nil && len(left) > 0 {
				err = fmt.Errorf("a destroy has left %v", left)
			}
			return err
		},
		Steps: []resource.TestStep{
			{Config: config("one", "true"), ConfigStateChecks: []statecheck.StateCheck{has(mirror, "format", "tar.gz")}},
			{
				Config:           config("two", "true"),
				ConfigPlanChecks: planned(actions{mirror: plancheck.ResourceActionCreateBeforeDestroy}),
			},
			{
				Config:           config("three", "false"),
				ConfigPlanChecks: planned(actions{mirror: plancheck.ResourceActionDestroyBeforeCreate}),
			},
		},
	})
}

func sent(t *testing.T) {
	config := func(prompt string) string {
		return fmt.Sprintf(`
resource "docsplatform_agent_message" "fix" {
  job_id = %q
  prompt = %q
}
`, os.Getenv("ACCEPTANCE_AGENT_JOB"), prompt)
	}
	resource.Test(t, resource.TestCase{
		ExternalProviders: provider(""),
		Steps: []resource.TestStep{
			{Config: config("Fix the links.")},
			{
				Config:           config("Fix the pictures."),
				ConfigPlanChecks: planned(actions{message: plancheck.ResourceActionDestroyBeforeCreate}),
			},
		},
	})
}

// upgrade creates resources with one version of the provider. Then it plans and changes them with the next version.
func upgrade(t *testing.T) {
	before, after := os.Getenv("ACCEPTANCE_BEFORE"), os.Getenv("ACCEPTANCE_AFTER")
	resource.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{ExternalProviders: provider("= " + before), Config: siteAndBundle(`triggers = "a"`, "")},
			{
				ExternalProviders: provider("= " + after), Config: siteAndBundle(`triggers = "a"`, ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				ExternalProviders: provider("= " + after), Config: siteAndBundle(`triggers = "a"`, `version = "next"`),
				ConfigPlanChecks: planned(actions{site: plancheck.ResourceActionNoop, bundle: plancheck.ResourceActionUpdate}),
			},
		},
	})
}
