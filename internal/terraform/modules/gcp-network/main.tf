# A network with one subnet, and a way out for its private nodes; or the names
# of those that are there already.

locals {
  create = var.existing_network == null
}

resource "google_compute_network" "this" {
  count = local.create ? 1 : 0

  project                 = var.project
  name                    = var.cluster_name
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "this" {
  count = local.create ? 1 : 0

  project                  = var.project
  region                   = var.region
  name                     = var.cluster_name
  network                  = google_compute_network.this[0].id
  ip_cidr_range            = var.network_cidr
  private_ip_google_access = true

  secondary_ip_range {
    range_name    = "pods"
    ip_cidr_range = var.pods_cidr
  }

  secondary_ip_range {
    range_name    = "services"
    ip_cidr_range = var.services_cidr
  }
}

resource "google_compute_router" "this" {
  count = local.create ? 1 : 0

  project = var.project
  region  = var.region
  name    = var.cluster_name
  network = google_compute_network.this[0].id
}

resource "google_compute_router_nat" "this" {
  count = local.create ? 1 : 0

  project                            = var.project
  region                             = var.region
  name                               = var.cluster_name
  router                             = google_compute_router.this[0].name
  nat_ip_allocate_option             = "AUTO_ONLY"
  source_subnetwork_ip_ranges_to_nat = "LIST_OF_SUBNETWORKS"

  subnetwork {
    name                    = google_compute_subnetwork.this[0].id
    source_ip_ranges_to_nat = ["ALL_IP_RANGES"]
  }
}
