import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.DocsplatformFunctions;
import io.github.pulumidocsplatform.docsplatform.ExportBundle;
import io.github.pulumidocsplatform.docsplatform.ExportBundleArgs;
import io.github.pulumidocsplatform.docsplatform.StaticExport;
import io.github.pulumidocsplatform.docsplatform.StaticExportArgs;
import io.github.pulumidocsplatform.docsplatform.inputs.ExportBundleLinkArgs;
import io.github.pulumidocsplatform.docsplatform.inputs.HelmValuesArgs;
import io.github.pulumidocsplatform.docsplatform.outputs.HelmValuesResult;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var site = new StaticExport("site", StaticExportArgs.builder()
            .domain("docs.example.com")
            .build());

        var bundle = new ExportBundle("bundle", ExportBundleArgs.builder()
            .jobId(site.jobId())
            .renewBefore("30m")
            .build());

        var values = DocsplatformFunctions.helmValues(HelmValuesArgs.builder()
            .bundle(ExportBundleLinkArgs.builder()
                .bundleUrl(bundle.bundleUrl())
                .version(bundle.version())
                .build())
            .build());

        ctx.export("staticExport", values.applyValue(HelmValuesResult::staticExport));
    }
}
