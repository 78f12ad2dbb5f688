# More than one control plane: a network load balancer is the endpoint.

resource "aws_lb" "api" {
  count = local.balanced ? 1 : 0

  name                             = var.load_balancer_name
  load_balancer_type               = "network"
  internal                         = !local.public
  subnets                          = local.public ? var.public_subnet_ids : local.node_subnets
  security_groups                  = var.load_balancer_security_group_ids
  enable_cross_zone_load_balancing = true
}

resource "aws_lb_target_group" "api" {
  count = local.balanced ? 1 : 0

  name     = var.target_group_name
  port     = local.api_port
  protocol = "TCP"
  vpc_id   = var.network_id

  # A target that reaches itself through the load balancer would see its own
  # address as the client's, and drop the answer.
  preserve_client_ip     = "false"
  connection_termination = true
  deregistration_delay   = "60"

  health_check {
    protocol            = "HTTPS"
    path                = "/readyz"
    port                = "traffic-port"
    interval            = 10
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

resource "aws_lb_listener" "api" {
  count = local.balanced ? 1 : 0

  load_balancer_arn = aws_lb.api[0].arn
  port              = local.api_port
  protocol          = "TCP"

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.api[0].arn
  }
}

resource "aws_lb_target_group_attachment" "api" {
  count = local.balanced ? var.control_plane_count : 0

  target_group_arn = aws_lb_target_group.api[0].arn
  target_id        = concat([aws_instance.first.id], aws_instance.further[*].id)[count.index]
  port             = local.api_port
}
