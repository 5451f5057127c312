import { availabilityOf, type FeatureAvailability } from "../../sdk/featureAvailability";
import { ArgumentError, defineFunction } from "./definition";
import { text } from "./rules";

export const featureAvailability = defineFunction<{ deploymentType: string }, FeatureAvailability>({
  name: "featureAvailability",
  inputs: { deploymentType: { rule: text, required: true } },
  async call({ deploymentType }) {
    try {
      return availabilityOf(deploymentType);
    } catch (error) {
      throw new ArgumentError(error);
    }
  },
});
