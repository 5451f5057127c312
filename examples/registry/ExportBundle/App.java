import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.ExportBundle;
import io.github.pulumidocsplatform.docsplatform.ExportBundleArgs;
import io.github.pulumidocsplatform.docsplatform.StaticExport;
import io.github.pulumidocsplatform.docsplatform.StaticExportArgs;

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

        ctx.export("version", bundle.version());
        ctx.export("expiresAt", bundle.expiresAt());
        ctx.export("bundleUrl", bundle.bundleUrl());
    }
}
