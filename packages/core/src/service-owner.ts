/** A base class with a property for each service, so that no service needs a getter of its own. */
import { type Services, serviceNames } from "./service-table.ts";

abstract class Owner {
  /** Throws before the services exist. */
  protected abstract get services(): Services;

  static {
    for (const name of serviceNames) {
      Object.defineProperty(Owner.prototype, name, {
        get(this: Owner) {
          return this.services[name];
        },
      });
    }
  }
}

export const ServiceOwner = Owner as abstract new () => Owner & Services;
