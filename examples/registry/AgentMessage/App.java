import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.AgentMessage;
import io.github.pulumidocsplatform.docsplatform.AgentMessageArgs;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var message = new AgentMessage("links", AgentMessageArgs.builder()
            .jobId("job-1")
            .projectId("docs")
            .prompt("Repair the broken links of the last build.")
            .waitForCompletion(true)
            .build());

        ctx.export("status", message.status());
        ctx.export("prLink", message.prLink());
    }
}
