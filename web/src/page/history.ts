/** The page's address, kept with what is looked at: Back returns to the place before. */

/** Within so many milliseconds, one step leads to several places; they count as one. */
const ONE_STEP = 400;

export class History {
  private place = "";
  private pushed = -Infinity;

  /** Somebody came here by an address, by Back perhaps: that is no step of their own. */
  arrive(place: string): void {
    this.place = place;
  }

  /**
   * Keep an address.
   *
   * @param place what Back returns to; what is only set there, as a slider, is no other place.
   */
  keep(address: string, place: string): void {
    const moves = this.place !== "" && place !== this.place;
    this.place = place;
    if (`#${address}` === location.hash) return;
    const now = performance.now();
    const isNew = moves && now - this.pushed > ONE_STEP;
    if (isNew) this.pushed = now;
    try {
      if (isNew) history.pushState(null, "", `#${address}`);
      else history.replaceState(null, "", `#${address}`);
    } catch {
      // A page within another one, as in a notebook, has no address of its own.
    }
  }
}
