import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.StaticExport;
import io.github.pulumidocsplatform.docsplatform.StaticExportArgs;
import java.util.Map;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var site = new StaticExport("site", StaticExportArgs.builder()
            .domain("docs.example.com")
            // A change of it starts a new job.
            .triggers(Map.of("revision", "4f0c2d1"))
            .build());

        ctx.export("jobId", site.jobId());
        ctx.export("pageCount", site.pageCount());
    }
}
